// The messages between a transfer's link and the function behind it. SQL uses the same states (`look_up_transfer`).
import { z } from "zod";

/**
 * unknown: no such link. offered. closed: not accepted before transfers closed or the festival was cancelled. own: the viewer made the
 * offer. accepted: by this very call. yours: by the viewer's account. kept: without an account. taken: by another account. gone: accepted,
 * and passed on, reissued or refunded since. recalled. expired: refunded, scanned, or not accepted in time.
 */
const transferStates = [
  "unknown",
  "offered",
  "closed",
  "own",
  "accepted",
  "yours",
  "kept",
  "taken",
  "gone",
  "recalled",
  "expired",
] as const;

/** The body of `ticket-transfer`. `withAccount` gives an accepted ticket to the caller's account. */
export const ticketTransferSchema = z.object({
  token: z.string().min(1).max(200),
  action: z.enum(["look", "accept", "resend"]),
  withAccount: z.boolean().default(false),
});

const answer = z.object({
  state: z.enum(transferStates),
  because: z.enum(["not_accepted", "refunded", "scanned", "cancelled"]).nullish(),
  from_name: z.string().optional(),
  to_name: z.string().optional(),
  /** Masked except for its first letter and its domain. */
  to_email: z.string().optional(),
  closes_at: z.string().optional(),
  /** The viewer is signed in with the address the ticket was offered to. */
  is_own_mail: z.boolean().optional(),
  tickets: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        /** Only for a person who has just accepted it without an account. */
        qrCodeUrl: z.string().nullish(),
      }),
    )
    .nullish(),
  /** For `resend`: false when it was sent too often. */
  sent: z.boolean().optional(),
});

export type TransferAnswer = z.infer<typeof answer>;

export const readTransferAnswer = (body: unknown): TransferAnswer => answer.parse(body);

/** How many corrections SQL allows a holder (`correct_attendee`), shown before the attempt. */
export const correctionLimit = 3;

/** Maximum length of an administrator's reason, in characters. */
export const correctionReason = 200;
