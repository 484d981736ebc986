import { describe, expect, it } from "vitest";
import { axisDollars, plotOf, type Sales, sumsOf } from "./sales-model.ts";

const row = (item_id: string, channel: string, sold: number, cents: number, back = 0) => ({
  item_id,
  channel,
  sold,
  cents,
  returned: back,
  returned_cents: back * 4500,
});
const items = [
  { id: "general", name: "General Admission", is_ticket: true },
  { id: "vip", name: "VIP", is_ticket: true },
  { id: "parking", name: "Parking", is_ticket: false },
];
const sales: Sales = {
  today: "2025-06-03",
  day: "2025-06-01",
  day_from: "2025-06-01T05:00:00Z",
  day_to: "2025-06-02T05:00:00Z",
  items,
  days: [
    { day: "2025-06-01", ...row("general", "online", 4, 18_000) },
    { day: "2025-06-01", ...row("general", "comp", 3, 0) },
    { day: "2025-06-01", ...row("parking", "online", 1, 2500) },
    { day: "2025-06-03", ...row("vip", "door", 1, 15_000) },
    { day: "2025-06-03", ...row("general", "online", 0, 0, 2) },
  ],
  hours: [{ hour: "2025-06-01T13:00:00+00:00", ...row("general", "online", 4, 18_000) }],
};

describe("the bars", () => {
  it("include days without sales", () => {
    const { days } = plotOf(sales, "sales", "channel");
    expect(days.map(({ key, values, returned }) => [key, values, returned])).toEqual([
      ["2025-06-01", [20_500, 0], 0],
      ["2025-06-02", [0, 0], 0],
      ["2025-06-03", [0, 15_000], 9000],
    ]);
  });

  it("count comps separately from what was bought, and parking not as tickets", () => {
    expect(plotOf(sales, "tickets", "channel").days[0]!.values, "shop, door, comps").toEqual([4, 0, 3]);
    const byType = plotOf(sales, "tickets", "type");
    expect(byType.series.map(({ name }) => name)).toEqual(["General Admission", "VIP", "Comps"]);
    expect(byType.days[0]!.values).toEqual([4, 0, 3]);
    expect(plotOf(sales, "sales", "type").series.map(({ name }) => name)).not.toContain("Comps");
  });

  it("are the hours of Houston's day, even when the clock changes", () => {
    const { hours } = plotOf(sales, "sales", "channel");
    expect(hours).toHaveLength(24);
    expect(hours[8]).toMatchObject({ key: "2025-06-01T13:00:00.000Z", total: 18_000 });
    const fall = { ...sales, hours: [], day_from: "2025-11-02T05:00:00Z", day_to: "2025-11-03T06:00:00Z" };
    expect(plotOf(fall, "sales", "channel").hours).toHaveLength(25);
  });

  it("combine the smallest of many types", () => {
    const many = Array.from({ length: 9 }, (_, n) => ({ id: `t${n}`, name: `Type ${n}`, is_ticket: true }));
    const days = many.map(({ id }, n) => ({ day: "2025-06-01", ...row(id, "online", n + 1, 100 * (n + 1)) }));
    const { series, days: bars } = plotOf({ ...sales, items: many, days }, "tickets", "type");
    expect(series.map(({ name }) => name)).toEqual([
      "Type 4",
      "Type 5",
      "Type 6",
      "Type 7",
      "Type 8",
      "Other",
    ]);
    expect(bars[0]!.values.at(-1)).toBe(1 + 2 + 3 + 4);
  });
});

it("adds up the whole sale", () => {
  expect(sumsOf(sales)).toEqual({ sold: 35_500, returned: 9000, tickets: 3, comps: 3 });
  expect(sumsOf({ ...sales, days: [] })).toEqual({ sold: 0, returned: 0, tickets: 0, comps: 0 });
});

it("writes every amount of an axis exactly", () => {
  expect([0, 50, 105_000, 12_000_000, -3500].map(axisDollars)).toEqual([
    "$0",
    "$0.50",
    "$1,050",
    "$120,000",
    "-$35",
  ]);
});
