// A buyer's orders as the screens show them.
import type { Database } from "contract/database";
import { formatCents, toCents } from "contract/shop/money";
import { refundedPayments } from "contract/shop/refunded-payments";

type OrderRow = Database["public"]["Tables"]["orders"]["Row"];
export type OrderItem = Database["public"]["Tables"]["order_items"]["Row"];
export type Order = OrderRow & {
  order_items: OrderItem[];
  refunds: Pick<
    Database["public"]["Tables"]["refunds"]["Row"],
    "id" | "reason" | "amount" | "status" | "payment_intent_id" | "retry_of" | "superseded"
  >[];
};

/** Paid, and the tickets are issued or being issued. */
export function isPaid({ status }: Pick<Order, "status">): boolean {
  return status === "confirmed" || status === "completed";
}

/** Something was paid, though it may have been refunded since, so there is a receipt. */
export function wasPaid({ confirmed_at, refunds }: Pick<Order, "confirmed_at" | "refunds">): boolean {
  return confirmed_at !== null || refunds.length > 0;
}

/** How long an order's page congratulates: later it states what is true by then. */
const JUST_PAID_MS = 24 * 3_600_000;

/** Paid within the last day and not used up since. `now` as serverNow. */
export function isJustPaid(
  { status, confirmed_at }: Pick<Order, "status" | "confirmed_at">,
  now: number,
): boolean {
  return status === "confirmed" && now - Date.parse(confirmed_at ?? "") < JUST_PAID_MS;
}

type Payments = Pick<Order, "refunds" | "payment_intent_id" | "total_amount">;

/** What the provider refused to return and nobody has returned since, in cents: is_owed in SQL. */
export function owedCents({ refunds, payment_intent_id, total_amount }: Payments): number {
  const isOwed = ({
    id,
    status,
    superseded,
    amount,
    payment_intent_id: payment,
  }: Order["refunds"][number]) => {
    if (status !== "failed" || superseded || refunds.some(({ retry_of }) => retry_of === id)) return false;
    const given = refunds.filter((one) => one.payment_intent_id === payment && one.status !== "failed");
    // A payment that bought nothing is refunded whole.
    const paid = payment === payment_intent_id ? total_amount : amount;
    return given.reduce((sum, one) => sum + toCents(one.amount), toCents(amount)) <= toCents(paid);
  };
  return refunds.filter(isOwed).reduce((sum, { amount }) => sum + toCents(amount), 0);
}

/** What was refunded of the order so far, in cents. Its items count a ticket as refunded even while its money is owed. */
export function refundedCents(order: Pick<Order, "order_items" | "fee_refunded"> & Payments): number {
  const taken = order.order_items.reduce(
    (sum, item) => sum + toCents(item.refunded_amount),
    toCents(order.fee_refunded),
  );
  return Math.max(taken - owedCents(order), 0);
}

/** Left before it was paid, so it is folded away. */
export function isAbandoned({ status, cancel_reason }: Pick<Order, "status" | "cancel_reason">): boolean {
  return status === "cancelled" && ["hold_expired", "replaced", "abandoned"].includes(cancel_reason ?? "");
}

/** Still held, and placed under a known key, so its payment can be continued. `now` as serverNow. */
export function isPayable(
  { status, hold_expires_at, idempotency_key }: Pick<Order, "status" | "hold_expires_at" | "idempotency_key">,
  now: number,
): boolean {
  return status === "pending" && Boolean(idempotency_key) && Date.parse(hold_expires_at ?? "") > now;
}

/** Items in the order they were bought. */
export function sortedItems({ order_items }: Pick<Order, "order_items">): OrderItem[] {
  return order_items.toSorted((one, other) => one.position - other.position);
}

const reasons: Readonly<Record<string, string>> = {
  hold_expired: "The hold on these tickets ran out before they were paid for.",
  replaced: "You changed your cart, and a new order replaced this one.",
  abandoned: "The checkout was left before payment.",
  payment_failed: "The payment did not go through.",
  unfulfillable: "This order could not be fulfilled.",
  refunded: "This order has been refunded, and its tickets are no longer valid.",
  cancelled_by_admin: "The organizers canceled this order.",
};

/** Why an order was cancelled, for its buyer. */
export function cancelText(order: Pick<Order, "cancel_reason"> & Payments): string {
  const { cancel_reason, refunds } = order;
  const owed = owedText(order);
  const late = refunds.map(({ reason }) => refundedPayments[reason]).find(Boolean);
  if (late && cancel_reason !== "refunded") return `${late} ${owed || "Your payment is refunded in full."}`;
  if (owed) return `This order has been canceled, and its tickets are no longer valid. ${owed}`;
  return reasons[cancel_reason ?? ""] ?? "This order has been canceled.";
}

/** Empty unless a refund has failed. */
export function owedText(order: Payments): string {
  const cents = owedCents(order);
  return cents === 0
    ? ""
    : `We tried to refund ${formatCents(cents)}, and the payment provider refused. Please write to the organizers.`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A URL may contain anything. Only an id is worth a request. */
export function isOrderId(text: string): boolean {
  return uuid.test(text);
}
