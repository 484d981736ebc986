import { expect, it } from "vitest";
import {
  cancelText,
  isAbandoned,
  isJustPaid,
  isOrderId,
  isPaid,
  isPayable,
  owedCents,
  refundedCents,
  sortedItems,
  type Order,
  type OrderItem,
  wasPaid,
} from "./model.ts";

it("counts confirmed and completed orders as paid", () => {
  expect(["pending", "confirmed", "completed", "cancelled"].map((status) => isPaid({ status }))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it("lists items as they were bought", () => {
  const order_items = [{ position: 2 }, { position: 0 }, { position: 1 }] as OrderItem[];
  expect(sortedItems({ order_items }).map((item) => item.position)).toEqual([0, 1, 2]);
});

const refund = (reason: string, more: Partial<Order["refunds"][number]> = {}): Order["refunds"][number] => ({
  ...{
    id: "r",
    reason,
    amount: 90,
    status: "succeeded",
    payment_intent_id: "pi",
    retry_of: null,
    superseded: false,
  },
  ...more,
});
const cancelled = (cancel_reason: string | null, ...refunds: Order["refunds"]) => ({
  ...{ cancel_reason, refunds, payment_intent_id: "pi", total_amount: 90 },
});
const REFUSED =
  "We tried to refund $90.00, and the payment provider refused. Please write to the organizers.";

it("always explains a cancelled order", () => {
  expect(cancelText(cancelled("hold_expired"))).toContain("ran out");
  expect(cancelText(cancelled(null))).toBe("This order has been canceled.");
  expect(cancelText(cancelled("refunded", refund("requested_by_admin")))).toBe(
    "This order has been refunded, and its tickets are no longer valid.",
  );
});

it.each([
  ["unfulfillable", "sold_out", "These tickets had sold out"],
  ["unfulfillable", "too_many_tickets", "exceed the limit per buyer"],
  ["unfulfillable", "amount_differs", "doesn't match this order"],
  ["cancelled_by_admin", "order_cancelled", "This order was canceled"],
])("explains why the payment of an order that was %s was refunded: %s", (cancel_reason, reason, words) => {
  const text = cancelText(cancelled(cancel_reason, refund(reason)));
  expect(text).toContain(words);
  expect(text).toContain("Your payment is refunded in full.");
  const refused = cancelText(cancelled(cancel_reason, refund(reason, { status: "failed" })));
  expect(refused).toContain(words);
  expect(refused).toContain(REFUSED);
  expect(refused).not.toContain("in full");
});

it("does not call an order refunded while its money has not gone back", () => {
  const failed = refund("requested_by_admin", { status: "failed" });
  const paid = { order_items: [{ refunded_amount: 90 } as OrderItem], fee_refunded: 0 };
  const after = (...refunds: Order["refunds"]) => ({ ...paid, ...cancelled("refunded", ...refunds) });
  expect(cancelText(after(failed))).toBe(
    `This order has been canceled, and its tickets are no longer valid. ${REFUSED}`,
  );
  expect([owedCents(after(failed)), refundedCents(after(failed))]).toEqual([9000, 0]);
  const retried = after(failed, refund("requested_by_admin", { id: "again", retry_of: "r" }));
  expect([owedCents(retried), refundedCents(retried)]).toEqual([0, 9000]);
  const returned = after(failed, refund("refunded_at_provider", { id: "elsewhere", amount: 1 }));
  expect(owedCents(returned), "a later refund returned a part, so the whole can no longer go back").toBe(0);
  const part = after({ ...failed, amount: 45 }, refund("goodwill", { id: "part", amount: 45 }));
  expect([owedCents(part), refundedCents(part)]).toEqual([4500, 4500]);
  expect(owedCents(after({ ...failed, superseded: true }))).toBe(0);
});

it("distinguishes an order id from other text", () => {
  expect(["0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001", "", "1", "' or 1=1"].map(isOrderId)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it("folds away checkouts left before payment, and nothing else", () => {
  const cancelled = (cancel_reason: string) => isAbandoned({ status: "cancelled", cancel_reason });
  expect(["hold_expired", "replaced", "abandoned"].map(cancelled)).toEqual([true, true, true]);
  expect(["refunded", "payment_failed", "unfulfillable", "cancelled_by_admin"].some(cancelled)).toBe(false);
  expect(isAbandoned({ status: "pending", cancel_reason: null })).toBe(false);
});

it("continues the payment of a pending order while it is held", () => {
  const order = { status: "pending", hold_expires_at: "2025-06-01T12:15:00Z", idempotency_key: "key" };
  const now = Date.parse("2025-06-01T12:00:00Z");
  expect(isPayable(order, now)).toBe(true);
  expect(isPayable(order, Date.parse("2025-06-01T12:15:00Z"))).toBe(false);
  expect(isPayable({ ...order, idempotency_key: null }, now)).toBe(false);
  expect(isPayable({ ...order, status: "confirmed" }, now)).toBe(false);
});

it("congratulates on an order for a day, unless all its tickets have been used", () => {
  const order = { status: "confirmed", confirmed_at: "2025-06-01T12:00:00Z" };
  expect(isJustPaid(order, Date.parse("2025-06-02T11:59:00Z"))).toBe(true);
  expect(isJustPaid(order, Date.parse("2025-06-02T12:00:00Z"))).toBe(false);
  expect(isJustPaid({ ...order, status: "completed" }, Date.parse("2025-06-01T12:01:00Z"))).toBe(false);
  expect(isJustPaid({ ...order, confirmed_at: null }, Date.parse("2025-06-01T12:01:00Z"))).toBe(false);
});

it("has a receipt for every order that was paid, also one refunded before it was confirmed", () => {
  expect(wasPaid({ confirmed_at: "2025-06-01T12:00:00Z", refunds: [] })).toBe(true);
  expect(wasPaid({ confirmed_at: null, refunds: [refund("sold_out")] })).toBe(true);
  expect(wasPaid({ confirmed_at: null, refunds: [] })).toBe(false);
});
