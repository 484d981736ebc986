// What the door's screen and the server say to each other, and the limits of both: SQL writes the same numbers, and a test compares
// them.
import { z } from "zod";

export const doorLimits = {
  /** In dollars: change in the drawer when a till opens, and what is counted when it closes. */
  float: 99_999.99,
  counted: 9_999_999.99,
  note: 500,
  /** Why a sale was voided, a comp given or taken back. */
  reason: 500,
  /** Of one list. */
  guests: 200,
  orderNote: 2000,
  tag: 30,
} as const;

export const channels = ["online", "door", "comp"] as const;
export type Channel = (typeof channels)[number];

const doorCode = z.object({
  /** The ticket's or permit's. */
  id: z.string(),
  kind: z.enum(["ticket", "parking"]),
  /** Of its type. */
  name: z.string(),
  token: z.string(),
});
/** The answer of `door-codes`. */
export const doorCodes = z.object({ codes: z.array(doorCode) });
export type DoorCode = z.infer<typeof doorCode>;
