// One line for each kind of work in the outbox: the shape of its payload and the function that does it.
import { z } from "zod";
import type { FunctionDeps } from "../_shared/deps.ts";
import { thankedForms } from "../_shared/mail/letters.ts";
import { ticketMailReasons, transferNews } from "../_shared/mail/transfer-mails.ts";
import { sendAccountDeleted, sendSecondStepsRemoved } from "./send-account-mails.ts";
import { sendAdminAlert, sendThanks, sendVendorDecision } from "./send-form-mails.ts";
import { sendMessageMails, sendMessageTest } from "./send-message-mails.ts";
import { closeOrderIntent, refundPayment } from "./money.ts";
import {
  type MailedOrders,
  readMailedOrders,
  sendAttendeeMail,
  sendOrderMail,
  sendRefundMail,
  sendVoidMail,
} from "./send-order-mails.ts";
import { sendStaffInvitation } from "./send-staff-mails.ts";
import { sendWaitlistOffer } from "./send-waitlist-mails.ts";
import { sendReplacedMail, sendTicketMail, sendTransferMail } from "./send-transfer-mails.ts";

export interface OutboxEntry {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  /** Includes the current one. */
  readonly attempts: number;
}

const id = z.uuid();
const cents = z.number().int().positive();
const order = z.object({ order_id: id });

const works = {
  order_mail: work(order, sendOrderMail),
  attendee_mail: work(order.extend({ email: z.string() }), sendAttendeeMail),
  refund: work(order.extend({ refund_id: id, payment_intent_id: z.string(), cents }), refundPayment),
  refund_mail: work(order.extend({ refund_id: id, cents, reason: z.string() }), sendRefundMail),
  void_mail: work(order.extend({ email: z.string(), code_ids: z.array(id) }), sendVoidMail),
  transfer_mail: work(
    z.object({ transfer_ids: z.array(id), news: z.enum(transferNews), email: z.string() }),
    sendTransferMail,
  ),
  ticket_mail: work(
    order.extend({ ticket_ids: z.array(id), email: z.string(), why: z.enum(ticketMailReasons) }),
    sendTicketMail,
  ),
  replaced_mail: work(
    order.extend({ email: z.string(), ticket_id: id, attendee: z.string() }),
    sendReplacedMail,
  ),
  cancel_intent: work(
    order.extend({ payment_intent_id: z.string().nullable(), total_cents: cents }),
    closeOrderIntent,
  ),
  waitlist_mail: work(z.object({ entry_id: id }), sendWaitlistOffer),
  second_steps_mail: work(z.object({ email: z.string() }), sendSecondStepsRemoved),
  staff_invitation_mail: work(z.object({ invitation_id: id }), sendStaffInvitation),
  account_deleted_mail: work(z.object({ email: z.string() }), sendAccountDeleted),
  thanks_mail: work(z.object({ form: z.enum(thankedForms), email: z.string() }), sendThanks),
  vendor_decision_mail: work(
    z.object({ application_id: id, status: z.enum(["approved", "rejected"]) }),
    sendVendorDecision,
  ),
  message_mails: work(z.object({ message_id: id, batch: z.number().int().min(0) }), sendMessageMails),
  message_test_mail: work(
    z.object({ email: z.string(), subject: z.string(), body: z.string(), token: z.string() }),
    sendMessageTest,
  ),
  admin_alert_mail: work(
    z.object({ order_id: id.nullable(), reason: z.string(), payment_intent_id: z.string() }),
    sendAdminAlert,
  ),
};

/** The kinds that SQL may write. */
export const workKinds: readonly string[] = Object.keys(works);

/**
 * Safe to repeat, except for mails: one whose completion could not be recorded may arrive twice. The entries are done together,
 * and the returned function does one of them, which rejects on failure.
 */
export function performing(
  deps: FunctionDeps,
  entries: readonly OutboxEntry[],
): (entry: OutboxEntry) => Promise<void> {
  const mailed = onFirstUse(() => readMailedOrders(deps, mailedOrdersOf(entries)));
  return async ({ kind, payload }) => {
    if (!Object.hasOwn(works, kind)) throw new Error(`nobody does work of kind ${kind}`);
    await works[kind as keyof typeof works](deps, payload, mailed);
  };
}

function mailedOrdersOf(entries: readonly OutboxEntry[]): string[] {
  const mails = entries.filter(({ kind }) => kind === "order_mail" || kind === "attendee_mail");
  return mails.flatMap(({ payload }) => order.safeParse(payload).data?.order_id ?? []);
}

function work<Schema extends z.ZodType>(
  schema: Schema,
  does: (deps: FunctionDeps, payload: z.output<Schema>, mailed: () => Promise<MailedOrders>) => Promise<void>,
): (deps: FunctionDeps, payload: unknown, mailed: () => Promise<MailedOrders>) => Promise<void> {
  return async (deps, payload, mailed) => does(deps, schema.parse(payload), mailed);
}

function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
