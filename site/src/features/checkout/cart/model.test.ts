import { describe, expect, it } from "vitest";
import type { CartItem } from "./items.ts";
import {
  cartTotal,
  changeCart,
  emptyCart,
  hasVip,
  parkingIncluded,
  ticketCount,
  type Cart,
} from "./model.ts";

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

  it("removes by id, merges the buyer, replaces attendees, loads and clears", () => {
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
    expect(changeCart(cart, { type: "load", cart: cartOf(vip) })).toEqual(cartOf(vip));
    const without = { ...cartOf(vip, parking), vipIncludesParking: false };
    expect(changeCart(cart, { type: "load", cart: without }), "as the order has it").toEqual(without);
    expect(changeCart(cart, { type: "clear" })).toEqual(emptyCart);
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

  it("recognises VIP by the ticket's name in any case, and not by the parking pass's", () => {
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
    const left = changeCart(replaced, { type: "take-bought", bought: [vip] });
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
