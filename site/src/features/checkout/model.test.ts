import { describe, expect, it } from "vitest";
import { createPaymentIntentSchema } from "contract/schemas";
import type { CartItem } from "./cart/record.ts";
import { detailsComplete, orderRequest, priceChanges, seatsWith } from "./model.ts";

const general: CartItem = {
  itemData: { secret: 1 },
  id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001",
  name: "General Admission",
  price: 45,
  quantity: 2,
  type: "ticket",
};
const parking: CartItem = {
  itemData: {},
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
      items: [general, parking],
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
