// The messages between the door screen and the server, and the limits both enforce. SQL has the same numbers, and a test compares
// them.
import { z } from "zod";

export const doorLimits = {
  /** In dollars: the change in the drawer when a till opens, and the amount counted when it closes. */
  float: 99_999.99,
  counted: 9_999_999.99,
  note: 500,
  /** Why a sale was voided, or a comp was given or taken back. */
  reason: 500,
  /** Per guest list. */
  guests: 200,
  orderNote: 2000,
  tag: 30,
} as const;

const doorCode = z.object({
  /** The id of the entry code. */
  id: z.string(),
  /** Who or what it admits. */
  admits: z.string(),
  /** The name of its type. */
  name: z.string(),
  token: z.string(),
});
/** The answer of `door-codes`. */
export const doorCodes = z.object({ codes: z.array(doorCode) });
export type DoorCode = z.infer<typeof doorCode>;
