// One order with everything that belongs to it, and how much of its money can still be refunded.
import { z } from "zod";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";
import type { Database, Json } from "contract/database";
import { lineTotal, toCents } from "contract/shop/money";
import type { TicketChanges } from "./history/ticket-history.ts";

/** What a refund returned, in dollars. A quantity of 0 means money alone. */
const refundedItem = z.object({ name: z.string(), quantity: z.number(), amount: z.number() });
type RefundedItem = z.infer<typeof refundedItem>;

export type Row<Table extends keyof Database["public"]["Tables"]> =
  Database["public"]["Tables"][Table]["Row"];

/** One admission at the gate, with its entrance and device. */
export interface Admission extends Pick<
  Row<"admissions">,
  | "id"
  | "admitted_at"
  | "is_offline"
  | "conflicts_with"
  | "despite"
  | "left_at"
  | "undone_at"
  | "undo_reason"
  | "undone_by"
  | "undo_scan_id"
  | "admitted_by"
  | "device_id"
  | "device_name"
> {
  gate_entrances: { name: string } | null;
}

type WithoutCode<T> = Omit<T, "qr_code_data" | "qr_code_url" | "changed_xid">;

/** A refund whose items are read. */
export type WithItems<Refund> = Omit<Refund, "items"> & { items: RefundedItem[] };

/** @throws Error when they have another shape */
export function withItems<Refund extends { items: Json }>(refund: Refund): WithItems<Refund> {
  return { ...refund, items: parseAnswer("refunds", z.array(refundedItem), refund.items) };
}

interface Admitted {
  /** Empty for finance, which may not read the gate. */
  admissions: Admission[];
}

/** Whom a ticket of an order is for. */
const attendee = z.object({ name: z.string(), email: z.string() });

/** @throws Error when they have another shape */
export const parseAttendees = (attendees: Json) => parseAnswer("orders", z.array(attendee), attendees);

export interface OrderCase extends Omit<Row<"orders">, "attendees">, TicketChanges {
  attendees: z.infer<typeof attendee>[];
  order_items: Row<"order_items">[];
  codes: (WithoutCode<Row<"entry_codes">> & Admitted & { product_kinds: Row<"product_kinds"> })[];
  payments: Row<"payments">[];
  disputes: Pick<Row<"disputes">, "is_open">[];
  refunds: (WithItems<Row<"refunds">> & { refund_notes: { note: string } | null })[];
  /** For a door sale. */
  till_payments: (Row<"till_payments"> & { till_shifts: { seller_email: string } })[];
  /** For a comp, and only readable by administrators. */
  comps: { guest_lists: { reason: string } | null } | null;
  order_notes: Row<"order_notes">[];
  order_tags: { tag: string }[];
}

/** Whether its money is in dispute, so that the provider may refuse to refund it. */
export const isDisputed = ({ disputes }: Pick<OrderCase, "disputes">): boolean =>
  disputes.some(({ is_open }) => is_open);

/** In cents: the amount if the whole order were refunded now. */
export const leftToRefund = (order: OrderCase): number => leftOfPayment(order, order.payment_intent_id);

/** In cents: the most that a refund of money alone may be. Money that a failed refund still owes is excluded. */
export function freeToRefund(order: OrderCase): number {
  if (order.channel !== "online") return 0;
  const fee = toCents(order.fee_amount) - toCents(order.fee_refunded);
  return order.order_items.reduce((sum, item) => sum + leftOfItem(item), fee);
}

/** In cents: what was paid for all units of an item, minus what was refunded. */
export function leftOfItem(item: OrderCase["order_items"][number]): number {
  return lineTotal(item.unit_price, item.quantity) - toCents(item.discount) - toCents(item.refunded_amount);
}

/** In cents: the part of a refund that belongs to no ticket. */
export function moneyAlone({ items }: { items: readonly RefundedItem[] }): number {
  const lines = items.filter(({ quantity }) => quantity === 0);
  return lines.reduce((sum, { amount }) => sum + toCents(amount), 0);
}

function leftOfPayment(order: OrderCase, intent: string | null): number {
  const paid = order.payments.find(({ payment_intent_id: id }) => id === intent);
  const refunded = order.refunds
    .filter((row) => row.payment_intent_id === intent && row.status !== "failed")
    .reduce((sum, row) => sum + toCents(row.amount), 0);
  return toCents(paid?.amount ?? 0) - refunded;
}

/**
 * Refunds that stay stuck until someone requests them again. Excludes a failed one whose money has been refunded
 * since, or is part of the refund that ended the order.
 */
export function stuckRefunds(order: OrderCase, outbox: readonly Row<"outbox">[]): ReadonlySet<string> {
  const dead = outbox.filter(({ kind, dead_at }) => kind === "refund" && dead_at !== null);
  const isLeft = (refund: OrderCase["refunds"][number]) =>
    toCents(refund.amount) <= leftOfPayment(order, refund.payment_intent_id);
  return new Set(
    order.refunds
      .filter((refund) => {
        const { id, status, superseded } = refund;
        const isAskedAgain = order.refunds.some(({ retry_of }) => retry_of === id);
        if (status === "failed") return !superseded && !isAskedAgain && isLeft(refund);
        return status === "pending" && dead.some(({ dedupe_key }) => dedupe_key === `refund:${id}`);
      })
      .map(({ id }) => id),
  );
}

/** In cents: what they owe the buyer. */
export const owedCents = ({ refunds }: OrderCase, stuck: ReadonlySet<string>): number =>
  refunds.reduce((sum, { id, amount }) => sum + (stuck.has(id) ? toCents(amount) : 0), 0);

/** "Main Entrance, Phone 3", or "Back office" */
export function placeText({ gate_entrances, device_name }: Admission): string {
  return [gate_entrances?.name, device_name].filter(Boolean).join(", ");
}

/** Whether an admission in conflict with another is the later one, whichever was sent first. */
export function isAgain({ id, admitted_at, conflicts_with }: Admission, all: readonly Admission[]): boolean {
  const others = all.filter((other) => other.conflicts_with === id || other.id === conflicts_with);
  return others.some((other) => Date.parse(other.admitted_at) < Date.parse(admitted_at));
}

/** A refund's items, "1 × VIP, 1 × Preferred Parking"; empty for money alone. */
export function itemsText(items: readonly Pick<RefundedItem, "name" | "quantity">[]): string {
  const given = items.filter(({ quantity }) => quantity > 0);
  return given.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ");
}
