// One order's history, from its own rows, the audit log and the outbox.
import { z } from "zod";
import { formatPrice } from "#lib/format.ts";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";
import type { Json } from "contract/database";
import { codeRefusals, type CodeRefusal } from "contract/gate";
import { formatAmount } from "contract/shop/currency";
import { toCents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import { deskText } from "./desk-words.ts";
import { type Admission, isAgain, itemsText, type OrderCase, placeText, type Row } from "../model.ts";
import { changesOf } from "./ticket-history.ts";

export interface HistoryEvent {
  key: string;
  at: string;
  text: string;
  /** Something went wrong and may need attention. */
  failed?: boolean;
}

const cancelReasons: Record<string, string> = {
  hold_expired: "the hold expired",
  replaced: "the buyer started another order",
  abandoned: "the buyer left",
  payment_failed: "the payment failed",
  unfulfillable: "it was paid but could not be fulfilled",
  refunded: "all its tickets were taken back",
  cancelled_by_admin: "an administrator canceled it",
  voided: "the door sale was voided",
  revoked: "the comp was revoked",
};

export function cancelText(reason: string | null): string {
  return cancelReasons[reason ?? ""] ?? "no reason was given";
}

/** Work in the outbox: its name, and its label once it is done. */
const works: Record<string, readonly [name: string, done: string]> = {
  order_mail: ["Order email", "Order email sent"],
  attendee_mail: ["Attendee email", "Attendee email sent"],
  refund: ["Refund at the payment provider", "Refund requested from the payment provider"],
  refund_mail: ["Refund email", "Refund email sent"],
  void_mail: ["Email about void tickets", "Email about void tickets sent"],
  transfer_mail: ["Email about a transfer", "Email about a transfer sent"],
  ticket_mail: ["Email with a new code", "Email with a new code sent"],
  replaced_mail: ["Email about a replaced code", "Email about a replaced code sent"],
  cancel_intent: ["Closing the payment", "Payment closed at the provider"],
  admin_alert_mail: ["Alert to the organizers", "Alert to the organizers sent"],
};

function workText(work: Row<"outbox">): string {
  const [name, done] = works[work.kind] ?? [work.kind, `${work.kind} done`];
  // Emails that waited in a backup whose copy left them out when it took over.
  if (work.done_at) return work.last_error ? `${name}: ${work.last_error}` : done;
  return `${name} ${work.dead_at ? "failed" : "queued"}${work.last_error ? `: ${work.last_error}` : ""}`;
}

/** Events of an order's payment that the provider notified us of. */
const news: Record<string, string> = {
  CRITICAL_DISPUTE_OPENED: "The buyer disputed the payment",
  CRITICAL_DISPUTE_DUE: "The dispute response is due soon",
  CRITICAL_DISPUTE_LOST: "The dispute was lost",
  UPDATE_DISPUTE_WON: "The dispute was won",
  CRITICAL_FOREIGN_CURRENCY: "The provider reports money returned in another currency: nothing was recorded",
  UPDATE_REFUNDED_AT_PROVIDER: "Refunded at the payment provider",
};

/** The addresses of those who changed an order, by their ids. */
export type Actors = Readonly<Record<string, string>>;

/** @throws Error when the response has another shape */
export function parseActors(answer: unknown): Actors {
  return parseAnswer("orders", z.record(z.string(), z.string()), answer);
}

/** Everything that happened to an order, the latest first. */
export function historyOf(
  order: OrderCase,
  audit: readonly Row<"audit_logs">[],
  outbox: readonly Row<"outbox">[],
  actors: Actors,
): HistoryEvent[] {
  const events: HistoryEvent[] = beginningOf(order);
  if (order.cancelled_at) {
    events.push({
      key: "cancelled",
      at: order.cancelled_at,
      text: `Canceled: ${cancelText(order.cancel_reason)}`,
      failed: order.cancel_reason === "payment_failed" || order.cancel_reason === "unfulfillable",
    });
  }
  for (const payment of order.payments) {
    // A declined card or a failed 3-D Secure check. The buyer may have paid with the next attempt.
    const { status, failure_message: failure } = payment;
    if (status !== "failed" && failure === null) continue;
    events.push({
      key: payment.payment_intent_id,
      at: payment.created_at,
      text: `Payment attempt failed: ${failure ?? "no reason was given"}`,
      failed: status === "failed",
    });
  }
  for (const { id, attendee_name: who, checked_in_at, admissions } of order.codes) {
    events.push(...gateEvents(id, who ?? "Vehicle", checked_in_at, admissions, actors));
  }
  const actorOf = (id: string | null) => actors[id ?? ""] ?? "An administrator";
  events.push(...changesOf(order, actorOf));
  for (const entry of audit) {
    events.push({
      key: entry.id,
      at: entry.created_at,
      text: auditText(entry, actorOf(entry.admin_user_id)),
      failed: /ERROR|CRITICAL/.test(entry.action_type),
    });
  }
  for (const work of outbox) {
    events.push({
      key: `outbox-${work.id}`,
      at: work.done_at ?? work.dead_at ?? work.created_at,
      text: workText(work),
      failed: work.dead_at !== null,
    });
  }
  return events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function beginningOf({ channel, created_at: at, confirmed_at, till_payments }: OrderCase): HistoryEvent[] {
  const [sale] = till_payments.filter(({ kind }) => kind === "sale");
  if (sale) {
    const { method, till_shifts: till } = sale;
    return [{ key: "created", at, text: `Sold at the door by ${till.seller_email}, ${method}` }];
  }
  if (channel === "comp") return [{ key: "created", at, text: "Comp issued" }];
  const placed = { key: "created", at, text: "Order placed, stock held" };
  if (!confirmed_at) return [placed];
  return [placed, { key: "confirmed", at: confirmed_at, text: "Paid and confirmed, tickets issued" }];
}

/** What happened at the gate with one code. Without admissions, only that it was scanned in. A phone is named, not its user. */
function gateEvents(
  id: string,
  who: string,
  checkedInAt: string | null,
  admissions: readonly Admission[],
  actors: Actors,
): HistoryEvent[] {
  const by = (id: string | null) => `by ${actors[id ?? ""] ?? "an administrator"}`;
  if (admissions.length === 0) {
    return checkedInAt ? [{ key: id, at: checkedInAt, text: `${who} scanned in` }] : [];
  }
  return admissions.flatMap((admission): HistoryEvent[] => {
    const { id, admitted_at, despite, is_offline, left_at, undone_at, undo_reason } = admission;
    const where = admission.device_id === null ? by(admission.admitted_by) : `at ${placeText(admission)}`;
    const undoneBy = admission.undo_scan_id === null ? ` ${by(admission.undone_by)}` : "";
    const again = isAgain(admission, admissions);
    const notes = [is_offline && "offline", isCodeRefusal(despite) && `even though ${despiteNames[despite]}`];
    const note = notes.filter(Boolean).join(", ");
    const events: HistoryEvent[] = [
      {
        key: id,
        at: admitted_at,
        text: `${who} let in${again ? " again" : ""} ${where}${note && ` (${note})`}`,
        failed: again || despite !== null,
      },
    ];
    if (left_at !== null) events.push({ key: `${id} out`, at: left_at, text: `${who} went out` });
    if (undone_at !== null) {
      events.push({
        key: `${id} undone`,
        at: undone_at,
        text: `${who}'s check-in was undone${undoneBy}: ${undo_reason ?? ""}`,
      });
    }
    return events;
  });
}

const despiteNames: Record<CodeRefusal, string> = {
  void: "it was refunded",
  old_code: "the code had been replaced",
  not_today: "the doors were closed",
  closed: "the entrance was closed",
  wrong_entrance: "it was the wrong entrance",
};

const isCodeRefusal = (despite: string | null): despite is CodeRefusal =>
  codeRefusals.some((refusal) => refusal === despite);

const loggedItems = z.array(z.object({ name: z.string(), quantity: z.number() }));

/** An entry that cannot be read is shown as it was written. */
function auditText(
  { action_type: action, old_values, new_values: values }: Row<"audit_logs">,
  who: string,
): string {
  const happened = news[action];
  if (happened) return happened;
  const change = typeof values === "object" && values !== null && !Array.isArray(values) ? values : {};
  if (action === "CRITICAL_PAYMENT_REFUNDED") {
    return `${loggedSum("A payment", change)} bought nothing, and its refund was requested: ${typeof change.reason === "string" ? refundReasonText(change.reason) : "no reason was given"}`;
  }
  if (action === "ERROR_REFUND_FAILED") {
    return `${loggedSum("The refund", change)} failed: ${typeof change.failure === "string" ? change.failure : "no reason was given"}`;
  }
  if (typeof change.refund_retried === "number") {
    return `${who} retried a refund: ${formatPrice(change.refund_retried)}`;
  }
  if (change.mail === "resent") return `${who} resent the order email`;
  if (typeof change.acknowledged === "boolean") {
    const owed = typeof change.owed === "number" ? `, with ${formatPrice(change.owed)} still owed` : "";
    return `${who} marked the order as ${change.acknowledged ? "handled" : "not handled"}${owed}`;
  }
  const desk = deskText(old_values, change);
  if (desk) return `${who} ${desk}`;
  const items = loggedItems.safeParse(change.items).data;
  const what =
    change.amount_alone === true
      ? "an amount"
      : change.whole_order === true
        ? "the whole order"
        : items && itemsPhrase(items);
  if (typeof change.refunded === "number" && what !== undefined) {
    return `${who} refunded ${what}: ${formatPrice(change.refunded)}${whyText(change)}`;
  }
  if (change.voided === true && items) {
    return `${who} voided ${itemsPhrase(items)} for the provider's refund${whyText(change)}`;
  }
  if (change.cancel_reason === "cancelled_by_admin") return `${who} canceled the order`;
  return `${action} ${JSON.stringify(change)}`;
}

/** "The refund of $30.00" */
function loggedSum(what: string, { amount, currency }: Record<string, Json | undefined>): string {
  if (typeof amount !== "number") return what;
  return `${what} of ${formatAmount(toCents(amount), typeof currency === "string" ? currency : "usd")}`;
}

/** " (Goodwill: rain at the gate)"; empty when no reason was chosen. */
function whyText({ reason, note }: Record<string, Json | undefined>): string {
  const words = typeof reason === "string" && reason !== "requested_by_admin" ? refundReasonText(reason) : "";
  const said = [words, typeof note === "string" ? note : ""].filter(Boolean).join(": ");
  return said && ` (${said})`;
}

/** No-break spaces keep each number with its item in a sentence. A file gets plain spaces. */
const itemsPhrase = (items: z.infer<typeof loggedItems>) =>
  itemsText(items).replaceAll(" × ", "\u00A0×\u00A0");
