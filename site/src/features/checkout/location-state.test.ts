import { expect, it } from "vitest";
import { checkoutLocation } from "./location-state.ts";

const finished = { userId: "u1", result: "confirmed", orderId: "o1", email: "a@example.com" };

it("reads the buyer's own confirmation from the history entry", () => {
  expect(checkoutLocation({ step: "confirmation", finished }, "u1")).toEqual({
    step: "confirmation",
    finished,
  });
});

it("shows no confirmation to another user of the same tab", () => {
  expect(checkoutLocation({ step: "confirmation", finished }, "u2")).toBeUndefined();
  expect(checkoutLocation({ step: "payment", finished }, "u2")).toEqual({ step: "payment" });
});

it("reads which attempt the payment is for", () => {
  const attempt = "5f0c7f0e-7c1d-4a55-9d0b-0d6c3b6f3a11";
  expect(checkoutLocation({ step: "payment", attempt }, "u1")).toEqual({ step: "payment", attempt });
  expect(checkoutLocation({ step: "payment", attempt: 1 }, "u1")).toEqual({ step: "payment" });
});
