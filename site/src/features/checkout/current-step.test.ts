import { describe, expect, it } from "vitest";
import { currentStep } from "./current-step.ts";
import { orderRequest, type CheckoutItem } from "./model.ts";

const general: CheckoutItem = {
  id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001",
  name: "General Admission",
  price: 45,
  quantity: 1,
  type: "ticket",
};
const seat = { ticketTypeId: general.id, ticketName: general.name, position: 0, name: "Ana" };
const complete = {
  items: [general],
  seats: [{ ...seat, email: "ana@example.com" }],
  buyerInfo: { name: "Ana", email: "ana@example.com", phone: "7135550127" },
  total: 4500,
  ticketCount: 1,
};
const incomplete = { ...complete, seats: [{ ...seat, email: "ana@example" }] };
const attempt = {
  fingerprint: JSON.stringify(orderRequest(complete)),
  payment: { clientSecret: "pi_1_secret_1", orderId: "o", holdExpiresAt: "2027-06-12T17:00:00Z" },
};
const shown = { cart: complete, attempt: undefined, isPriced: true };

describe("the step of checkout", () => {
  it("is the one in the history entry while the details allow it", () => {
    expect(currentStep({ ...shown, asked: "payment" })).toEqual({ step: "payment", isToBeKept: false });
    expect(currentStep({ ...shown, asked: "attendees" })).toEqual({ step: "attendees", isToBeKept: false });
  });

  it("is kept as Attendee Info when history asks for a payment that the details do not allow", () => {
    expect(currentStep({ ...shown, cart: incomplete, asked: "payment" })).toEqual({
      step: "attendees",
      isToBeKept: true,
    });
    expect(currentStep({ ...shown, cart: incomplete, asked: undefined, attempt })).toEqual({
      step: "attendees",
      isToBeKept: true,
    });
  });

  it("is the open payment of this cart when history names none", () => {
    const open = { ...shown, asked: undefined, attempt };
    expect(currentStep(open)).toEqual({ step: "payment", isToBeKept: true });
    expect(currentStep({ ...open, cart: { ...complete, total: 5000 } }).step).toBe("attendees");
    expect(currentStep({ ...open, attempt: undefined }).step).toBe("attendees");
  });

  it("shows no details to type while the total, which decides, is still being read", () => {
    const cart = { ...complete, total: 4300 };
    expect(currentStep({ cart, asked: undefined, attempt, isPriced: false })).toEqual({
      step: "payment",
      isToBeKept: false,
    });
  });
});
