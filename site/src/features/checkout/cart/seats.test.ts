import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeCart } from "./model.ts";
import { emptyCart, type Cart, type CartItem } from "./record.ts";
import { parseCart } from "./saved-cart.ts";
import { filledSeats, seatsOf } from "./seats.ts";

const types = ["general", "vip", "youth"] as const;
type TypeId = (typeof types)[number];

const ticket = (id: TypeId, quantity: number): CartItem => ({
  id,
  name: id,
  price: 10,
  quantity,
  type: "ticket",
  itemData: {},
});
const cartOf = (...items: CartItem[]): Cart => ({ ...emptyCart, items });
const namesOf = (cart: Cart) =>
  seatsOf(cart.items, cart.attendees).map((seat) => `${seat.ticketTypeId}: ${seat.name || "nobody"}`);
const reloaded = (cart: Cart) => parseCart(JSON.stringify(cart));
/** Types a name that identifies its seat into the seats that `filled` picks, as the form does. */
function fill(cart: Cart, filled: (index: number) => boolean): Cart {
  const seats = seatsOf(cart.items, cart.attendees).map((seat, index) =>
    filled(index)
      ? { ...seat, name: `${seat.ticketTypeId} guest ${seat.position}`, email: "guest@example.com" }
      : seat,
  );
  return changeCart(cart, { type: "set-attendees", attendees: filledSeats(seats) });
}

describe("the seats of a cart", () => {
  it("leave with the tickets that were bought, and the later ones move up", () => {
    const grown = fill(cartOf(ticket("general", 3), ticket("vip", 1), ticket("youth", 1)), () => true);
    const bought = [ticket("general", 2), ticket("vip", 1)];
    const order = { orderId: "o1", key: "k1", heldUntil: "", total: 0, items: bought, email: "" };
    const paid = { orderId: "o1", email: "", result: "confirmed" } as const;
    expect(namesOf(reloaded(changeCart({ ...grown, order }, { type: "paid", paid })))).toEqual([
      "general: general guest 2",
      "youth: youth guest 0",
    ]);
  });

  it("keep the second attendee second when only that one is filled in, even over a reload", () => {
    const cart = reloaded(fill(cartOf(ticket("general", 1), ticket("vip", 1)), (index) => index === 1));
    expect(namesOf(cart)).toEqual(["general: nobody", "vip: vip guest 0"]);
    const twins = reloaded(fill(cartOf(ticket("general", 2)), (index) => index === 1));
    expect(namesOf(twins)).toEqual(["general: nobody", "general: general guest 1"]);
  });

  it("drop empty ones first when a type has fewer tickets", () => {
    const cart = fill(cartOf(ticket("general", 3)), (index) => index !== 1);
    const fewer = changeCart(cart, { type: "set-quantity", id: "general", quantity: 2 });
    expect(namesOf(fewer)).toEqual(["general: general guest 0", "general: general guest 2"]);
  });

  it("take attendees without a ticket type in the order of the tickets", () => {
    const cart: Cart = {
      ...cartOf(ticket("general", 1), ticket("vip", 1)),
      attendees: [
        { name: "Ana", email: "ana@example.com" },
        { name: "Ben", email: "ben@example.com" },
        { name: "One too many", email: "c@example.com" },
      ],
    };
    expect(namesOf(cart)).toEqual(["general: Ana", "vip: Ben"]);
  });

  it("never move an attendee to another type, whatever is added, removed, typed and reloaded", () => {
    const step = fc.oneof(
      fc.record({
        does: fc.constant("add"),
        id: fc.constantFrom(...types),
        quantity: fc.integer({ min: 0, max: 4 }),
      }),
      fc.record({ does: fc.constant("remove"), id: fc.constantFrom(...types) }),
      fc.record({ does: fc.constant("fill"), mask: fc.integer({ min: 0, max: 4095 }) }),
      fc.record({ does: fc.constant("reload") }),
    ) as fc.Arbitrary<{ does: string; id?: TypeId; quantity?: number; mask?: number }>;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let cart = emptyCart;
        for (const { does, id, quantity, mask } of steps) {
          const before = namesOf(cart);
          if (does === "add") cart = changeCart(cart, { type: "add", item: ticket(id!, quantity!) });
          if (does === "remove") cart = changeCart(cart, { type: "remove", id: id! });
          if (does === "fill") cart = fill(cart, (index) => Boolean((mask! >> index) & 1));
          if (does === "reload") cart = reloaded(cart);
          for (const seat of seatsOf(cart.items, cart.attendees)) {
            if (seat.name) expect(seat.name).toMatch(new RegExp(`^${seat.ticketTypeId} guest`));
          }
          // Types that this step did not touch still have the same attendees in the same places.
          const untouched = (name: string) => does !== "fill" && name.split(":")[0] !== id;
          expect(namesOf(cart).filter(untouched)).toEqual(before.filter(untouched));
          expect(cart.attendees.length).toBeLessThanOrEqual(namesOf(cart).length);
        }
      }),
    );
  });
});
