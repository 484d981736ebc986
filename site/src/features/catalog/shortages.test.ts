import { expect, it } from "vitest";
import type { Catalog } from "./model.ts";
import { shortagesOf } from "./shortages.ts";

const open = { on_sale: true, sale_opens_at: null, sale_closes_at: null };
const catalog = {
  products: [
    { id: "plenty", name: "General", current_inventory: 9, is_vip: false, ...open },
    { id: "few", name: "Youth", current_inventory: 2, is_vip: false, ...open },
    { id: "gone", name: "VIP", current_inventory: 0, is_vip: true, ...open },
    { id: "paused", name: "Later", current_inventory: 9, is_vip: false, ...open, on_sale: false },
    { id: "parking", name: "General", current_inventory: 0, is_vip: false, ...open },
  ],
  sale: {
    ...open,
    now: 0,
    festival_status: "planned",
    vip_includes_parking: true,
    vip_parking_left: null,
    fee: null,
  },
} as unknown as Catalog;

it("explains each line that cannot be bought, and no other", () => {
  const lines = ["plenty", "few", "gone", "paused", "parking", "unknown"].map((id) => ({ id, quantity: 3 }));
  expect(shortagesOf(lines, catalog)).toEqual([
    { id: "few", available: 2, text: "Only 2 left" },
    { id: "gone", available: 0, text: "Sold out" },
    { id: "paused", available: 3, text: "Not on sale at the moment" },
    { id: "parking", available: 0, text: "Sold out" },
    { id: "unknown", available: 0, text: "No longer on sale" },
  ]);
});
