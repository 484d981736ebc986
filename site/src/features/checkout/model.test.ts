import { describe, expect, it } from "vitest";
import { createPaymentIntentSchema } from "contract/schemas";
import { toCents } from "contract/shop/money";
import { attemptFor, intentId, type Attempt } from "./payment/attempt.ts";
import {
  detailsComplete,
  orderRequest,
  priceChanges,
  rememberedTotal,
  seatsWith,
  type CheckoutItem,
} from "./model.ts";

const general: CheckoutItem = {
  id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001",
  name: "General Admission",
  price: 45,
  quantity: 2,
  type: "ticket",
};
const parking: CheckoutItem = {
  id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001",
  name: "General Parking",
  price: 25,
  quantity: 1,
  type: "parking",
};
const seat = (position: number, name: string, email = `${name.toLowerCase()}@example.com`) => ({
  ticketTypeId: general.id,
  ticketName: general.name,
  position,
  name,
  email,
});
const ana = seat(0, "Ana");
const ben = seat(1, "Ben");
const buyerInfo = { name: "Ana", email: "ana@example.com", phone: "7135550127" };

it("copies the form's entries into the seats, and nothing for fields that are empty", () => {
  expect(seatsWith([seat(0, "", ""), ben], [{ name: "Ana", email: "ana@example.com" }, {}])).toEqual([
    ana,
    seat(1, "", ""),
  ]);
});

it("describes which prices changed", () => {
  const now = [{ ...general, price: 50.5 }, parking];
  expect(priceChanges([general, parking], now)).toEqual([
    "General Admission is now $50.50 instead of $45.00.",
  ]);
  expect(priceChanges([parking], now)).toEqual([]);
});

describe("payment", () => {
  const complete = { seats: [ana, ben], buyerInfo, ticketCount: 2 };

  it("may begin with one valid attendee per ticket and a complete buyer", () => {
    expect(detailsComplete(complete)).toBe(true);
  });

  it.each([
    ["an attendee is missing", { ...complete, seats: [ana, seat(1, "", "")] }],
    ["there is a seat too many", { ...complete, ticketCount: 1 }],
    ["an address is wrong", { ...complete, seats: [ana, seat(1, "Ben", "ben")] }],
    ["the phone is too short", { ...complete, buyerInfo: { ...buyerInfo, phone: "713555012" } }],
    ["the buyer has no name", { ...complete, buyerInfo: { ...buyerInfo, name: " " } }],
    ["there is no ticket", { seats: [], buyerInfo, ticketCount: 0 }],
  ])("may not begin when %s", (_why, cart) => {
    expect(detailsComplete(cart)).toBe(false);
  });

  it("sends the server the shape it accepts, without the cart's own records", () => {
    const cart = {
      items: [{ ...general, itemData: { secret: 1 } }, parking],
      seats: [ana, ben],
      buyerInfo,
      total: 11_500,
    };
    const request = orderRequest(cart);
    expect(createPaymentIntentSchema.parse(request)).toEqual(request);
    expect(request.totalAmount).toBe(115);
    expect(request.items[0]).not.toHaveProperty("itemData");
    expect(request.attendees).toEqual([
      { name: "Ana", email: "ana@example.com", ticketTypeId: general.id },
      { name: "Ben", email: "ben@example.com", ticketTypeId: general.id },
    ]);
  });
});

it("keeps the total of a remembered order, with its fee, until anything else of it changes", () => {
  const cart = { items: [general], seats: [ana], buyerInfo };
  const fingerprint = JSON.stringify(orderRequest({ ...cart, total: toCents(46.5) }));
  expect(rememberedTotal(fingerprint, cart)).toBe(4650);
  for (const change of [{ promoCode: "SUMMER" }, { seats: [ben] }, { items: [{ ...general, price: 50 }] }])
    expect(rememberedTotal(fingerprint, { ...cart, ...change })).toBeUndefined();
});

describe("an attempt to pay", () => {
  const attempt: Attempt = { userId: "u", fingerprint: "f", idempotencyKey: "k1" };
  const newKey = () => "k2";

  it("keeps its key as long as the request is the same", () => {
    expect(attemptFor("u", "f", attempt, newKey)).toBe(attempt);
  });

  it("gets a new key when the request or the user changes", () => {
    expect(attemptFor("u", "g", attempt, newKey)).toEqual({
      userId: "u",
      fingerprint: "g",
      idempotencyKey: "k2",
    });
    expect(attemptFor("w", "f", attempt, newKey).idempotencyKey).toBe("k2");
    expect(attemptFor("u", "f", undefined, newKey).idempotencyKey).toBe("k2");
  });

  it("derives the intent's id from its client secret", () => {
    expect(intentId("pi_123_secret_456")).toBe("pi_123");
  });
});
