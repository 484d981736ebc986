// Orders as the back office lists them, and one order's history.
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { parseAnswer, parseOr } from "#lib/lists/back-office-reads.ts";
import { formatPrice } from "#lib/format.ts";
import type { ListPage } from "#lib/lists/list-pages.ts";
import type { Database, Json } from "contract/database";
import { lineTotal, toCents } from "contract/money";
import { refundReasonText } from "contract/refund-reasons";
import { deskText } from "./desk-words.ts";
import { z } from "zod";
import { changesOf, type TicketChanges } from "./ticket-history.ts";

export const ORDERS_PAGE = 10;

/** The list's filters: the statuses, and the cancelled orders that need attention. */
export const orderFilters = [
  { value: "pending", label: "Pending" },
  { value: "confirmed", label: "Confirmed" },
  { value: "completed", label: "Completed" },
  { value: "cancelled", label: "Cancelled" },
  { value: "failed", label: "Failed" },
] as const;
type OrderStatusFilter = (typeof orderFilters)[number]["value"];

export function isOrderStatusFilter(value: string): value is OrderStatusFilter {
  return orderFilters.some((filter) => filter.value === value);
}

/** How an order came about, as it is shown. */
export const channelNames: Record<string, string> = { online: "Online", door: "Door sale", comp: "Comp" };
export const channelFilters = [
  { value: "online", label: "Online" },
  { value: "door", label: "Door sales" },
  { value: "comp", label: "Comps" },
] as const;

export interface OrderFilter {
  status: OrderStatusFilter | undefined;
  search: string;
  channel: string | undefined;
  tag: string | undefined;
}

export const statusTone: Record<string, BadgeTone> = {
  pending: "warning",
  confirmed: "success",
  completed: "success",
  cancelled: "danger",
};

const orderSummary = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  status: z.string(),
  channel: z.string(),
  tags: z.array(z.string()),
  total_amount: z.number(),
  item_count: z.number(),
  created_at: z.string(),
});
export type OrderSummary = z.infer<typeof orderSummary>;

const orderPage = z.object({
  orders: z.array(orderSummary),
  /** Of the filter and the search. */
  total_count: z.number(),
  total_is_exact: z.boolean(),
  /** Of all orders. */
  all_count: z.number(),
  page_size: z.number(),
  page_offset: z.number(),
});

const noOrders: z.infer<typeof orderPage> = {
  orders: [],
  total_count: 0,
  total_is_exact: true,
  all_count: 0,
  page_size: ORDERS_PAGE,
  page_offset: 0,
};

export interface OrderPage extends ListPage<OrderSummary> {
  /** How many orders there are altogether. */
  all: number;
}

/** An answer of another shape is logged, and read as no orders (PRODUCT 9.12). */
export function parseOrderPage(answer: unknown): OrderPage {
  const page = parseOr("orders", orderPage, answer, noOrders);
  return {
    rows: page.orders,
    total: page.total_count,
    exact: page.total_is_exact,
    all: page.all_count,
  };
}

/** An order with what was taken for it and given back. */
const bookedOrder = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  buyer_phone_number: z.string(),
  status: z.string(),
  channel: z.string(),
  items: z.string(),
  total_amount: z.number(),
  discount_amount: z.number(),
  promo_code: z.string().nullable(),
  fee_amount: z.number(),
  fee_name: z.string().nullable(),
  paid_by: z.string().nullable(),
  tags: z.string().nullable(),
  paid: z.number(),
  refunded: z.number(),
  payment_intent_id: z.string().nullable(),
  created_at: z.string(),
  cancelled_at: z.string().nullable(),
  cancel_reason: z.string().nullable(),
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** @throws Error when the answer has another shape */
export function parseBookedOrders(answer: unknown): BookedOrder[] {
  return parseAnswer("orders", z.array(bookedOrder), answer);
}

export interface BookedRefund extends Row<"refunds"> {
  orders: Pick<Row<"orders">, "buyer_full_name" | "buyer_email">;
  payments: Pick<Row<"payments">, "currency">;
  refund_notes: { note: string } | null;
}

/** A quantity of 0 is money alone. */
const refundedItems = z.array(
  z.object({ name: z.string(), quantity: z.number(), amount: z.number().default(0) }),
);

type Row<Table extends keyof Database["public"]["Tables"]> = Database["public"]["Tables"][Table]["Row"];

/** One let-in at the gate, with where and by which device. */
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
  | "device_name"
> {
  gate_entrances: { name: string } | null;
}

type WithoutCode<T> = Omit<T, "qr_code_data" | "qr_code_url" | "changed_xid">;

interface Admitted {
  /** Empty for finance, who may not read the gate. */
  admissions: Admission[];
}

export interface OrderCase extends Row<"orders">, TicketChanges {
  order_items: Row<"order_items">[];
  tickets: (WithoutCode<Row<"tickets">> & Admitted)[];
  parking_permits: (WithoutCode<Row<"parking_permits">> & Admitted)[];
  payments: Row<"payments">[];
  refunds: (Row<"refunds"> & { refund_notes: { note: string } | null })[];
  /** Of a door sale. */
  till_payments: (Row<"till_payments"> & { till_shifts: { seller_email: string } })[];
  /** Of a comp, for administrators. */
  comps: { guest_lists: { reason: string } | null } | null;
  order_notes: Row<"order_notes">[];
  order_tags: { tag: string }[];
}

/** In cents: the amount if the whole order were refunded now. */
export const leftToRefund = (order: OrderCase): number => leftOfPayment(order, order.payment_intent_id);

/** In cents: what a refund of an amount alone may be. What a failed refund still owes is not free. */
export function freeToRefund(order: OrderCase): number {
  if (order.channel !== "online") return 0;
  const fee = toCents(order.fee_amount) - toCents(order.fee_refunded);
  return order.order_items.reduce((sum, item) => sum + leftOfItem(item), fee);
}

/** In cents: of what was paid for all units of an item, what has not been returned. */
export function leftOfItem(item: OrderCase["order_items"][number]): number {
  return lineTotal(item.unit_price, item.quantity) - toCents(item.discount) - toCents(item.refunded_amount);
}

/** In cents: what a refund returned that belongs to no ticket. */
export function moneyAlone({ items }: { items: Json }): number {
  const parsed = refundedItems.safeParse(items);
  const lines = parsed.success ? parsed.data.filter(({ quantity }) => quantity === 0) : [];
  return lines.reduce((sum, { amount }) => sum + toCents(amount), 0);
}

function leftOfPayment(order: OrderCase, intent: string | null): number {
  const paid = order.payments.find(({ payment_intent_id: id }) => id === intent);
  const refunded = order.refunds
    .filter((row) => row.payment_intent_id === intent && row.status !== "failed")
    .reduce((sum, row) => sum + toCents(row.amount), 0);
  return toCents(paid?.amount ?? 0) - refunded;
}

/** Refunds that only move on when somebody requests them again; not a failed one whose money has gone back since. */
export function stuckRefunds(order: OrderCase, outbox: readonly Row<"outbox">[]): ReadonlySet<string> {
  const dead = outbox.filter(({ kind, dead_at }) => kind === "refund" && dead_at !== null);
  const isLeft = (refund: Row<"refunds">) =>
    toCents(refund.amount) <= leftOfPayment(order, refund.payment_intent_id);
  return new Set(
    order.refunds
      .filter((refund) => {
        const { id, status } = refund;
        const isAskedAgain = order.refunds.some(({ retry_of }) => retry_of === id);
        if (status === "failed") return !isAskedAgain && isLeft(refund);
        return status === "pending" && dead.some(({ dedupe_key }) => dedupe_key === `refund:${id}`);
      })
      .map(({ id }) => id),
  );
}

export interface HistoryEvent {
  key: string;
  at: string;
  text: string;
  /** Something went wrong and may need attention. */
  failed?: boolean;
}

const cancelReasons: Record<string, string> = {
  hold_expired: "the hold ran out",
  replaced: "the buyer began another order",
  abandoned: "the buyer left",
  payment_failed: "the payment failed",
  unfulfillable: "it was paid but could not be fulfilled",
  refunded: "everything was refunded",
  cancelled_by_admin: "an administrator cancelled it",
  voided: "the door sale was voided",
  revoked: "the comp was revoked",
};

export function cancelText(reason: string | null): string {
  return cancelReasons[reason ?? ""] ?? "no reason was given";
}

/** Work in the outbox: its name, and what is said once it is done. */
const works: Record<string, readonly [name: string, done: string]> = {
  order_mail: ["Order mail", "Order mail sent"],
  attendee_mail: ["Attendee mail", "Attendee mail sent"],
  refund: ["Refund at the payment provider", "Refund requested from the payment provider"],
  refund_mail: ["Refund mail", "Refund mail sent"],
  void_mail: ["Mail about void tickets", "Mail about void tickets sent to their attendee"],
  transfer_mail: ["Mail about a transfer", "Mail about a transfer sent"],
  ticket_mail: ["Mail with a new code", "Mail with a new code sent"],
  replaced_mail: ["Mail about a replaced code", "Mail about a replaced code sent"],
  cancel_intent: ["Closing the payment", "Payment closed at the provider"],
  remove_qr_codes: ["Deleting the pictures of dead codes", "Pictures of dead codes deleted"],
  admin_alert_mail: ["Alert to the organizers", "Alert to the organizers sent"],
};

function workText(work: Row<"outbox">): string {
  const [name, done] = works[work.kind] ?? [work.kind, `${work.kind} done`];
  if (work.done_at) return done;
  return `${name} ${work.dead_at ? "given up" : "waiting"}${work.last_error ? `: ${work.last_error}` : ""}`;
}

/** The addresses of those who changed an order, by their ids. */
export type Actors = Readonly<Record<string, string>>;

/** @throws Error when the answer has another shape */
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
      text: `Cancelled: ${cancelText(order.cancel_reason)}`,
      failed: order.cancel_reason === "payment_failed" || order.cancel_reason === "unfulfillable",
    });
  }
  for (const payment of order.payments) {
    // A card that was declined, or 3-D Secure that failed; the buyer may have paid with the next attempt.
    const { status, failure_message: failure } = payment;
    if (status !== "failed" && failure === null) continue;
    events.push({
      key: payment.payment_intent_id,
      at: payment.created_at,
      text: `Payment attempt failed: ${failure ?? "no reason was given"}`,
      failed: status === "failed",
    });
  }
  for (const { id, attendee_name: who, checked_in_at, admissions } of order.tickets) {
    events.push(...gateEvents(id, who, checked_in_at, admissions));
  }
  for (const { id, checked_in_at, admissions } of order.parking_permits) {
    events.push(...gateEvents(id, "Vehicle", checked_in_at, admissions));
  }
  events.push(...changesOf(order));
  for (const entry of audit) {
    events.push({
      key: entry.id,
      at: entry.created_at,
      text: auditText(entry, actors[entry.admin_user_id ?? ""] ?? "An administrator"),
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
  if (channel === "comp") return [{ key: "created", at, text: "Given away, ticket issued" }];
  const placed = { key: "created", at, text: "Order placed, stock held" };
  if (!confirmed_at) return [placed];
  return [placed, { key: "confirmed", at: confirmed_at, text: "Paid and confirmed, tickets issued" }];
}

/** "Main Entrance, Phone 3", or "Back office" */
export function placeText({ gate_entrances, device_name }: Admission): string {
  return [gate_entrances?.name, device_name].filter(Boolean).join(", ");
}

/** Of a let-in that conflicts with another: the later one, whichever was handed in first. */
export function isAgain({ id, admitted_at, conflicts_with }: Admission, all: readonly Admission[]): boolean {
  const others = all.filter((other) => other.conflicts_with === id || other.id === conflicts_with);
  return others.some((other) => Date.parse(other.admitted_at) < Date.parse(admitted_at));
}

/** What happened at the gate with one code; without its admissions, that it was scanned in. */
function gateEvents(
  id: string,
  who: string,
  checkedInAt: string | null,
  admissions: readonly Admission[],
): HistoryEvent[] {
  if (admissions.length === 0) {
    return checkedInAt ? [{ key: id, at: checkedInAt, text: `${who} scanned in` }] : [];
  }
  return admissions.flatMap((admission): HistoryEvent[] => {
    const { id, admitted_at, despite, is_offline, left_at, undone_at, undo_reason } = admission;
    const again = isAgain(admission, admissions);
    const notes = [is_offline && "offline", despite && `although ${despiteNames[despite] ?? despite}`];
    const note = notes.filter(Boolean).join(", ");
    const events: HistoryEvent[] = [
      {
        key: id,
        at: admitted_at,
        text: `${who} let in${again ? " again" : ""} at ${placeText(admission)}${note && ` (${note})`}`,
        failed: again || despite !== null,
      },
    ];
    if (left_at !== null) events.push({ key: `${id} out`, at: left_at, text: `${who} went out` });
    if (undone_at !== null) {
      events.push({
        key: `${id} undone`,
        at: undone_at,
        text: `${who}'s let-in was undone: ${undo_reason ?? ""}`,
      });
    }
    return events;
  });
}

const despiteNames: Record<string, string> = {
  void: "it was refunded",
  old_code: "the code had been replaced",
  not_today: "the doors were closed",
  wrong_entrance: "it was the wrong entrance",
};

function auditText(
  { action_type: action, old_values, new_values: values }: Row<"audit_logs">,
  who: string,
): string {
  const change = typeof values === "object" && values !== null && !Array.isArray(values) ? values : {};
  if (typeof change.refund_retried === "number") {
    return `${who} retried a refund: ${formatPrice(change.refund_retried)}`;
  }
  if (change.mail === "resent") return `${who} sent the order mail again`;
  const desk = deskText(old_values, change);
  if (desk) return `${who} ${desk}`;
  if (typeof change.refunded === "number") {
    const what =
      change.amount_alone === true
        ? "an amount"
        : change.whole_order === true
          ? "the whole order"
          : itemsText(change.items);
    return `${who} refunded ${what}: ${formatPrice(change.refunded)}${whyText(change)}`;
  }
  if (change.voided === true) {
    return `${who} made ${itemsText(change.items)} void for the provider's refund${whyText(change)}`;
  }
  if (change.cancel_reason === "cancelled_by_admin") return `${who} cancelled the order`;
  return `${action} ${JSON.stringify(change)}`;
}

/** " (Goodwill: rain at the gate)"; nothing when no reason was chosen. */
function whyText({ reason, note }: Record<string, Json | undefined>): string {
  const words = typeof reason === "string" && reason !== "requested_by_admin" ? refundReasonText(reason) : "";
  const said = [words, typeof note === "string" ? note : ""].filter(Boolean).join(": ");
  return said && ` (${said})`;
}

/** A refund's items, "1 × VIP, 1 × Preferred Parking"; empty for money alone. */
export function itemsText(items: Json | undefined): string {
  const parsed = refundedItems.safeParse(items);
  const given = parsed.success ? parsed.data.filter(({ quantity }) => quantity > 0) : [];
  return given.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ");
}
