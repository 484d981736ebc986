import { describe, expect, it, vi } from "vitest";
import {
  changesOf,
  conflictProblems,
  draftOf,
  isNothing,
  largestOf,
  parseInventory,
  PRICE_PROBLEM,
  rebase,
  revenueOf,
  unassigned,
  type StockRow,
} from "./model.ts";

const row: StockRow = {
  kind: "ticket",
  id: "a",
  name: "VIP",
  price: 150,
  current_inventory: 400,
  total_inventory: 500,
  sold: 90,
  held: 10,
  comps: 0,
  revenue: 13500.5,
  version: 3,
  description: "",
  on_sale: true,
  sale_opens_at: null,
  sale_closes_at: null,
  is_hidden: false,
  sale: "open",
};

it("counts the units that no one can buy", () => {
  expect([unassigned(row), unassigned({ ...row, total_inventory: 530 })]).toEqual([0, 30]);
});

it("logs a response of another shape, and reads it as an empty inventory", () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(parseInventory({ tickets: [{}] })).toEqual({ kinds: [], products: [] });
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});

it("adds up revenue in cents", () => {
  expect(
    revenueOf([
      { ...row, revenue: 0.1 },
      { ...row, revenue: 0.2 },
    ]),
  ).toBe(30);
});

describe("an edit", () => {
  it("sends only what was changed, and stock as a difference", () => {
    const none = { fields: {}, available: 0, total: 0 };
    expect(changesOf(draftOf(row), row)).toEqual(none);
    expect(isNothing(none)).toBe(true);
    expect(changesOf({ ...draftOf(row), price: "155.5" }, row)).toEqual({
      ...none,
      fields: { price: 155.5 },
    });
    const changes = changesOf({ name: " Gold ", price: "150.00", available: "0", total: "600" }, row);
    expect(changes).toEqual({ fields: { name: "Gold" }, available: -400, total: 100 });
  });

  it.each([
    ["price", "12.345", PRICE_PROBLEM],
    ["price", "--1", PRICE_PROBLEM],
    ["price", "-1", "Price must be at least $0.00."],
    ["price", "-0", "Price must be at least $0.00."],
    ["price", "0.49", "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    ["price", "$100,000", "Price can be at most $99,999.99."],
    ["price", "45,50", PRICE_PROBLEM],
    ["available", "1.5", "Available must be a whole number."],
    ["available", "1,5", "Available must be a whole number."],
    ["total", "", "Total must be a whole number."],
    ["name", "  ", "Name must have 1 to 120 characters."],
  ] as const)("refuses %s %j", (field, value, problem) => {
    expect(changesOf({ ...draftOf(row), [field]: value }, row)).toEqual({ problems: { [field]: problem } });
  });

  it("names everything that is wrong at once", () => {
    const typed = { ...draftOf(row), name: "", price: "-1", total: "1.5" };
    expect(Object.keys((changesOf(typed, row) as { problems: object }).problems)).toEqual([
      "name",
      "price",
      "total",
    ]);
  });

  it("leaves the bounds of stock to the database", () => {
    expect(changesOf({ ...draftOf(row), price: "$10,000", available: "9,999" }, row)).toEqual({
      fields: { price: 10_000 },
      available: 9599,
      total: 0,
    });
    expect(changesOf({ ...draftOf(row), price: "0" }, row)).toMatchObject({ fields: { price: 0 } });
  });

  it("keeps what was typed and takes over the rest when someone else changed the row", () => {
    const typed = { ...draftOf(row), total: "600" };
    const now = { ...row, price: 175, version: 4 };
    expect(rebase(typed, row, now)).toEqual({ ...draftOf(row), price: "175.00", total: "600" });
    expect(changesOf(rebase(typed, row, now), now)).toEqual({ fields: {}, available: 0, total: 100 });
    expect(conflictProblems(row, now)).toEqual({
      form: "Someone else changed this row. Save again to keep your version, or cancel.",
      price: "Now 175.00",
    });
  });
});

it("takes the largest type that costs something as the example of a fee", () => {
  const free = { ...row, id: "free", price: 0, total_inventory: 9000 };
  const general = { ...row, id: "general", price: 48, total_inventory: 4000 };
  expect(largestOf([free, row, general])).toBe(general);
  expect(largestOf([free])).toBeUndefined();
});
