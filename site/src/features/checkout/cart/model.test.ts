import { describe, expect, it } from "vitest";
import {
  cartTotal,
  changeCart,
  hasVip,
  parkingIncluded,
  ticketCount,
  ticketWanted,
  type CartAction,
} from "./model.ts";
import { emptyCart, type Cart, type CartItem, type Order } from "./record.ts";

const general: CartItem = {
  id: "g",
  name: "General Admission",
  price: 45,
  quantity: 1,
  type: "ticket",
  itemData: {},
};
const vip: CartItem = { id: "v", name: "vip deck", price: 150, quantity: 1, type: "ticket", itemData: {} };
const parking: CartItem = {
  id: "p",
  name: "General Parking",
  price: 25.1,
  quantity: 1,
  type: "parking",
  itemData: {},
};
const preferred: CartItem = { ...parking, id: "pp", name: "Preferred Parking" };

const cartOf = (...items: CartItem[]): Cart => ({ ...emptyCart, items });

const order: Order = {
  orderId: "o1",
  key: "k1",
  heldUntil: "2025-06-01T00:15:00Z",
  total: 4500,
  items: [general],
  email: "ana@example.com",
  clientSecret: "pi_1_secret_x",
};
const paid = { orderId: "o1", email: "ana@example.com", result: "confirmed" } as const;
const ordered = (cart: Cart, items: Order["items"] = cart.items): Cart => ({
  ...cart,
  key: "k1",
  order: { ...order, items },
});
const keyAfter = (cart: Cart, action: CartAction) => changeCart(cart, action, () => "new").key;

describe("the cart", () => {
  it("replaces the quantity of items it has, and appends new ones", () => {
    const once = changeCart(cartOf(general, parking), { type: "add", item: { ...general, quantity: 3 } });
    expect(once.items.map(({ id, quantity }) => [id, quantity])).toEqual([
      ["g", 3],
      ["p", 1],
    ]);
  });

  it.each([0, -1])("drops an item when its quantity becomes %d", (quantity) => {
    expect(changeCart(cartOf(general, parking), { type: "set-quantity", id: "g", quantity }).items).toEqual([
      parking,
    ]);
    expect(changeCart(cartOf(general), { type: "add", item: { ...general, quantity } }).items).toEqual([]);
  });

  it("changes one quantity and leaves the others", () => {
    const changed = changeCart(cartOf(general, vip), { type: "set-quantity", id: "v", quantity: 4 });
    expect(changed.items.map((item) => item.quantity)).toEqual([1, 4]);
  });

  it("removes by id, merges the buyer and replaces attendees", () => {
    let cart = changeCart(cartOf(general, parking), { type: "remove", id: "g" });
    expect(cart.items).toEqual([parking]);
    cart = changeCart(cart, { type: "merge-buyer", buyerInfo: { name: "Ana" } });
    cart = changeCart(cart, { type: "merge-buyer", buyerInfo: { phone: "7135550127" } });
    expect(cart.buyerInfo).toEqual({ name: "Ana", email: "", phone: "7135550127" });
    cart = changeCart(cart, {
      type: "set-attendees",
      attendees: [{ name: "Ana", email: "ana@example.com" }],
    });
    expect(cart.attendees).toHaveLength(1);
  });

  it("adds up in cents", () => {
    expect(cartTotal(cartOf({ ...parking, price: 0.1, quantity: 3 }))).toBe(30);
    expect(cartTotal(cartOf({ ...general, quantity: 2 }, parking))).toBe(11510);
  });

  it("counts tickets and not parking", () => {
    expect(ticketCount(cartOf({ ...general, quantity: 2 }, vip, parking))).toBe(3);
  });

  it("trusts the row, not the name, about VIP and general parking", () => {
    const lounge = { ...vip, name: "Lounge", itemData: { is_vip: true } };
    expect(hasVip(cartOf(lounge))).toBe(true);
    expect(hasVip(cartOf({ ...vip, itemData: { is_vip: false } }))).toBe(false);
    const field = { ...parking, name: "Field", itemData: { is_general: true } };
    expect(changeCart(cartOf(field), { type: "add", item: lounge }).items).toEqual([lounge]);
  });

  it("recognizes VIP by the ticket's name in any case, and not by the parking pass's", () => {
    expect(hasVip(cartOf(vip))).toBe(true);
    expect(hasVip(cartOf({ ...parking, name: "VIP lot" }, general))).toBe(false);
  });

  it("removes paid general parking when VIP includes it, in either order, and nothing else", () => {
    expect(changeCart(cartOf(parking, preferred), { type: "add", item: vip }).items).toEqual([
      preferred,
      vip,
    ]);
    expect(changeCart(cartOf(vip), { type: "add", item: parking }).items).toEqual([vip]);
  });

  it.each([
    ["is removed", { type: "remove", id: "v" }],
    ["is counted down to none", { type: "set-quantity", id: "v", quantity: 0 }],
    ["is added with none", { type: "add", item: { ...vip, quantity: 0 } }],
    ["no longer includes parking", { type: "set-vip-parking", included: false }],
  ] as const)("puts paid parking back when VIP %s", (_how, action) => {
    const replaced = changeCart(cartOf(parking, general), { type: "add", item: vip });
    expect(replaced.items).toEqual([general, vip]);
    const back = changeCart(replaced, action);
    expect(back.items.filter(({ id }) => id !== "v")).toEqual([general, parking]);
    expect(changeCart(back, { type: "remove", id: "g" }).items.filter(({ id }) => id !== "v")).toEqual([
      parking,
    ]);
  });

  it("has one parking pass: another takes its place, also while VIP includes one", () => {
    const other = changeCart(cartOf(parking, general), { type: "add", item: preferred });
    expect(other.items).toEqual([general, preferred]);
    expect(changeCart(other, { type: "add", item: parking }).items).toEqual([general, parking]);
    const withVip = changeCart(cartOf(parking), { type: "add", item: vip });
    const both = changeCart(withVip, { type: "add", item: preferred });
    expect(both.items).toEqual([vip, preferred]);
    expect(changeCart(both, { type: "remove", id: "v" }).items).toEqual([preferred]);
  });

  it("brings back no replaced parking when the VIP ticket has been bought", () => {
    const replaced = changeCart(cartOf(parking, vip), { type: "add", item: general });
    const left = changeCart(ordered(replaced, [vip]), { type: "paid", paid });
    expect(left.items).toEqual([general]);
    expect(changeCart(left, { type: "add", item: preferred }).items).toEqual([general, preferred]);
  });

  it("restores nothing that was not there before", () => {
    const withVip = changeCart(cartOf(general), { type: "add", item: vip });
    expect(changeCart(withVip, { type: "remove", id: "v" }).items).toEqual([general]);
  });

  it("keeps paid parking together with VIP when VIP does not include parking", () => {
    const off = changeCart(cartOf(parking), { type: "set-vip-parking", included: false });
    const both = changeCart(off, { type: "add", item: vip });
    expect(both.items).toEqual([parking, vip]);
    expect(parkingIncluded(both)).toBe(false);
    expect(changeCart(both, { type: "set-vip-parking", included: true }).items).toEqual([vip]);
  });
});

describe("the key of the cart's order", () => {
  const ana = { name: "Ana", email: "ana@example.com" };
  const cart = changeCart(changeCart(cartOf(general), { type: "set-attendees", attendees: [ana] }), {
    type: "agree",
  });
  const held = ordered(cart);

  it.each<[string, CartAction]>([
    ["an item", { type: "add", item: vip }],
    ["a price", { type: "add", item: { ...general, price: 50 } }],
    ["a quantity", { type: "set-quantity", id: "g", quantity: 2 }],
    ["the promo code", { type: "set-promo-code", code: "SUMMER" }],
    ["the order, released", { type: "release-order" }],
    ["the order, ended", { type: "renew-key", key: "k1" }],
    ["the order, refunded", { type: "paid", paid: { ...paid, result: "refunded" } }],
    ["the order, paid", { type: "paid", paid }],
  ])("is renewed in the same write as %s", (_what, action) => {
    expect(keyAfter(held, action)).toBe("new");
  });

  it.each<[string, CartAction]>([
    ["a name is typed", { type: "set-attendees", attendees: [{ ...ana, name: "Anna" }] }],
    ["the same details are agreed again", { type: "agree" }],
    ["its order is placed, or makes room for another", { type: "set-order", order: undefined }],
    ["another tab has renewed it already", { type: "renew-key", key: "k0" }],
    ["the same user comes back", { type: "claim", userId: "u1" }],
    ["the shop's setting is read", { type: "set-vip-parking", included: false }],
  ])("stays when %s", (_what, action) => {
    expect(keyAfter(held, action)).toBe("k1");
  });

  it("is renewed once a tab continues with other details", () => {
    const typed = changeCart(held, { type: "set-attendees", attendees: [{ ...ana, name: "Anna" }] });
    const continued = changeCart(typed, { type: "agree" }, () => "new");
    expect(continued).toMatchObject({ key: "new", agreed: { attendees: [{ name: "Anna" }] } });
  });

  it("is the order's when one is resumed, and what is known of its payment stays known", () => {
    const { clientSecret, ...unopened } = order;
    const resumed = { cart: cartOf(vip), order: unopened };
    expect(changeCart(held, { type: "resume", ...resumed })).toMatchObject({
      items: [vip],
      key: "k1",
      order: { clientSecret },
    });
    const other = changeCart(held, {
      type: "resume",
      cart: cartOf(vip),
      order: { ...unopened, orderId: "o2", key: "k2" },
    });
    expect(other.key).toBe("k2");
    expect(other.order).not.toHaveProperty("clientSecret");
  });
});

describe("a paid order", () => {
  it("empties the cart that it bought, also when another tab has taken out a ticket or changed a price or a name", () => {
    const before = ordered(cartOf(general), [{ id: "g", quantity: 2 }]);
    const cart = {
      ...before,
      items: [{ ...general, price: 50 }],
      buyerInfo: { ...emptyCart.buyerInfo, name: "A" },
    };
    const left = changeCart({ ...cart, owner: "u1" }, { type: "paid", paid });
    expect(left).toEqual({ ...emptyCart, owner: "u1", paid, key: expect.any(String) });
  });

  it("leaves what was added meanwhile, and says so", () => {
    const left = changeCart(ordered(cartOf({ ...general, quantity: 3 }), [general]), { type: "paid", paid });
    expect(left).toMatchObject({ items: [{ id: "g", quantity: 2 }], paid: { ...paid, isCartLeft: true } });
    expect(left.order).toBeUndefined();
  });

  it("leaves the cart and the order that were begun since", () => {
    const later = { ...ordered(cartOf(general)), order: { ...order, orderId: "o2" } };
    expect(changeCart(later, { type: "paid", paid })).toEqual({ ...later, paid });
  });

  it("buys nothing when it is refunded", () => {
    const refunded = { ...paid, result: "refunded" } as const;
    const left = changeCart(ordered(cartOf(general)), { type: "paid", paid: refunded });
    expect(left).toMatchObject({ items: [general], paid: refunded });
    expect(left.order).toBeUndefined();
  });
});

it("has neither details nor an order of its former owner, but its items", () => {
  const anas = { ...ordered(cartOf(general)), owner: "ana", paid, promoCode: "ANA-10" };
  for (const action of [{ type: "claim", userId: "ben" }, { type: "forget-details" }] as const) {
    const left = changeCart(anas, action);
    expect(left).toMatchObject({ items: [general], attendees: [], buyerInfo: emptyCart.buyerInfo });
    expect(JSON.stringify(left)).not.toMatch(/ana|ANA|o1/);
  }
});

it("says what a cart without a ticket needs, by the titles of what is in it", () => {
  const pitch = { ...parking, type: "camping", itemData: { product_kinds: { title: "Camping" } } };
  const words = "sold together with tickets. Choose at least one ticket.";
  expect(ticketWanted([parking, preferred])).toBe(`Parking is ${words}`);
  expect(ticketWanted([pitch])).toBe(`Camping is ${words}`);
  expect(ticketWanted([parking, pitch])).toBe(`Parking and camping are ${words}`);
  expect(ticketWanted([])).toBe("Choose at least one ticket.");
});
