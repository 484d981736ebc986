import { expect, it } from "vitest";
import { cancelText, isOrderId, isPaid, sortedItems, type OrderItem } from "./model.ts";

it("takes confirmed and completed orders for paid", () => {
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

it("always has words for a cancelled order", () => {
  expect(cancelText({ cancel_reason: "hold_expired" })).toContain("ran out");
  expect(cancelText({ cancel_reason: null })).toBe("This order has been cancelled.");
});

it("knows an order id from other text", () => {
  expect(["0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001", "", "1", "' or 1=1"].map(isOrderId)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
