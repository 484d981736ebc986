import { expect, it } from "vitest";
import {
  likelyTenders,
  limitOf,
  linesOf,
  paidWords,
  stillOffered,
  totalOf,
  wordsOf,
  type Offer,
  type Till,
} from "./model.ts";

const offer = (id: string, more: Partial<Offer> = {}): Offer => ({
  ...{ type: "ticket", id, name: id, price: 45, available: 10, is_vip: false, is_general: false },
  ...{ sale_opens_at: null, sale: "open" },
  ...more,
});
const vip = offer("VIP", { price: 150, is_vip: true });
const parking = offer("Parking", { type: "parking", price: 25.1, is_general: true });
const general = offer("General");
const till: Till = {
  most: 5,
  vip_includes_parking: true,
  items: [general, vip, parking],
  shift: null,
  recent: [],
};

it("adds up a sale in cents and describes it in words", () => {
  const wanted = { General: 2, Parking: 1 };
  expect(totalOf(wanted, till)).toBe(11_510);
  expect(wordsOf(wanted, till)).toBe("2\u00A0×\u00A0General, 1\u00A0×\u00A0Parking");
  expect(linesOf(wanted, till)).toEqual([
    { type: "ticket", id: "General", quantity: 2 },
    { type: "parking", id: "Parking", quantity: 1 },
  ]);
});

it("says how a sale was paid, and that a free one was not", () => {
  expect([paidWords(4500, "cash"), paidWords(2510, "card"), paidWords(0, "cash")]).toEqual([
    "$45.00 cash",
    "$25.10 card",
    "free",
  ]);
});

it("says why no more can be added", () => {
  expect(limitOf(general, {}, till)).toBeUndefined();
  expect(limitOf(general, { General: 4, VIP: 1 }, till)).toBe("Limit: 5 per sale");
  expect(limitOf({ ...general, available: 2 }, { General: 2 }, till)).toBe("No more left");
  expect(limitOf({ ...general, available: 0 }, {}, till)).toBe("Sold out");
  expect(limitOf({ ...general, sale: "paused" }, {}, till)).toBe("Paused");
  expect(limitOf(parking, { VIP: 1 }, till)).toBe("Comes with VIP");
  expect(limitOf(vip, { Parking: 1 }, till)).toBe("Remove General Parking first; VIP includes it");
  expect(limitOf(parking, { VIP: 1 }, { ...till, vip_includes_parking: false })).toBeUndefined();
});

it("keeps the chosen items that are still available", () => {
  const now = {
    ...till,
    items: [{ ...general, available: 1 }, { ...vip, sale: "paused" as const }, parking],
  };
  expect(stillOffered({ General: 3, VIP: 1, Parking: 1, Gone: 2 }, now)).toEqual({ General: 1, Parking: 1 });
});

it("offers the amounts that people hand over", () => {
  expect(likelyTenders(9000)).toEqual([9000, 10_000]);
  expect(likelyTenders(4510)).toEqual([4510, 5000, 6000, 10_000]);
});
