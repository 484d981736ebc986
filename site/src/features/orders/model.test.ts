import { expect, it } from "vitest";
import {
  cancelText,
  isAbandoned,
  isJustPaid,
  isOrderId,
  isPaid,
  isPayable,
  sortedItems,
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

it("always explains a cancelled order", () => {
  expect(cancelText({ cancel_reason: "hold_expired", refunds: [] })).toContain("ran out");
  expect(cancelText({ cancel_reason: null, refunds: [] })).toBe("This order has been canceled.");
  expect(cancelText({ cancel_reason: "refunded", refunds: [{ reason: "requested_by_admin" }] })).toBe(
    "This order has been refunded, and its tickets are no longer valid.",
  );
});

it.each([
  ["unfulfillable", "sold_out", "These tickets had sold out"],
  ["unfulfillable", "too_many_tickets", "exceed the limit per buyer"],
  ["unfulfillable", "amount_differs", "doesn't match this order"],
  ["cancelled_by_admin", "order_cancelled", "This order was canceled"],
])("explains why the payment of an order that was %s was refunded: %s", (cancel_reason, reason, words) => {
  const text = cancelText({ cancel_reason, refunds: [{ reason }] });
  expect(text).toContain(words);
  expect(text).toContain("Your payment is refunded in full.");
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
  expect(wasPaid({ confirmed_at: null, refunds: [{ reason: "sold_out" }] })).toBe(true);
  expect(wasPaid({ confirmed_at: null, refunds: [] })).toBe(false);
});
