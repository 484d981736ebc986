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
