// The data of the plots, from the rows that the database counted: bars for a day or an hour, each split into series. Comps are a
// separate series, because no one bought them.
import { z } from "zod";
import { csvMoney, type CsvColumn, type CsvValue } from "#lib/lists/csv.ts";
import { formatCents, type Cents } from "contract/shop/money";

const counted = z.object({
  item_id: z.string(),
  channel: z.string(),
  sold: z.number(),
  cents: z.number(),
  returned: z.number(),
  returned_cents: z.number(),
});
const dayRow = counted.extend({ day: z.string() });
const hourRow = counted.extend({ hour: z.string() });
type Counted = z.infer<typeof counted>;

export const salesAnswer = z.object({
  today: z.string(),
  /** The day shown by the hour. */
  day: z.string(),
  day_from: z.string(),
  day_to: z.string(),
  days: z.array(dayRow),
  hours: z.array(hourRow),
  items: z.array(z.object({ id: z.string(), name: z.string(), is_ticket: z.boolean() })),
});
export type Sales = z.infer<typeof salesAnswer>;

export type Measure = "sales" | "tickets";
export type Split = "channel" | "type";

interface Series {
  key: string;
  name: string;
}

/** One bar: cents or tickets of each series, in order. */
export interface Bar {
  key: string;
  values: readonly number[];
  total: number;
  /** Refunded in that time, whenever it was sold. */
  returned: number;
}

export interface Plot {
  measure: Measure;
  series: readonly Series[];
  days: readonly Bar[];
  hours: readonly Bar[];
}

/** More could not be told apart in one bar. */
const MOST_SERIES = 6;
const COMPS = "comp";
const REST = "rest";
const HOUR_MS = 3_600_000;

export function plotOf(sales: Sales, measure: Measure, split: Split): Plot {
  const isTicket = new Map(sales.items.map(({ id, is_ticket }) => [id, is_ticket]));
  const counts = (row: Counted) =>
    measure === "sales" ? row.channel !== COMPS : (isTicket.get(row.item_id) ?? false);
  const valueOf = (row: Counted) => (measure === "sales" ? row.cents : row.sold);
  const returnedOf = (row: Counted) => (measure === "sales" ? row.returned_cents : row.returned);
  const shown = sales.days.filter(counts);
  const { series, seriesOf } = split === "channel" ? byChannel(measure) : byType(sales, shown, valueOf);
  const place = new Map(series.map(({ key }, index) => [key, index]));

  const barOf = (key: string, rows: readonly Counted[]): Bar => {
    const values = series.map(() => 0);
    for (const row of rows) values[place.get(seriesOf(row))!]! += valueOf(row);
    return {
      key,
      values,
      total: values.reduce((sum, value) => sum + value, 0),
      returned: rows.reduce((sum, row) => sum + returnedOf(row), 0),
    };
  };
  const days = Map.groupBy(shown, ({ day }) => day);
  const hours = Map.groupBy(sales.hours.filter(counts), ({ hour }) => Date.parse(hour));
  return {
    measure,
    series,
    days: daysBetween([...days.keys()]).map((day) => barOf(day, days.get(day) ?? [])),
    hours: hoursBetween(sales.day_from, sales.day_to).map((at) =>
      barOf(new Date(at).toISOString(), hours.get(at) ?? []),
    ),
  };
}

function byChannel(measure: Measure) {
  const series: Series[] = [
    { key: "online", name: "Shop" },
    { key: "door", name: "Door" },
  ];
  if (measure === "tickets") series.push({ key: COMPS, name: "Comps" });
  return { series, seriesOf: ({ channel }: Counted) => channel };
}

/** The best-selling types if there are too many, in the order of the catalog. */
function byType(sales: Sales, rows: readonly Counted[], valueOf: (row: Counted) => number) {
  const sums = new Map<string, number>();
  for (const row of rows) {
    if (row.channel !== COMPS) sums.set(row.item_id, (sums.get(row.item_id) ?? 0) + valueOf(row));
  }
  const hasComps = rows.some(({ channel }) => channel === COMPS);
  const room = MOST_SERIES - (hasComps ? 1 : 0);
  const largest = [...sums.keys()].toSorted((a, b) => sums.get(b)! - sums.get(a)!);
  const own = new Set(sums.size <= room ? largest : largest.slice(0, room - 1));
  const series: Series[] = sales.items
    .filter(({ id }) => own.has(id))
    .map(({ id, name }) => ({ key: id, name }));
  if (sums.size > own.size) series.push({ key: REST, name: "Other" });
  if (hasComps) series.push({ key: COMPS, name: "Comps" });
  const seriesOf = ({ item_id, channel }: Counted) =>
    channel === COMPS ? COMPS : own.has(item_id) ? item_id : REST;
  return { series, seriesOf };
}

/** Every calendar day from the first to the last, including those without sales. */
function daysBetween(days: readonly string[]): string[] {
  const sorted = days.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const all: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 24 * HOUR_MS) {
    all.push(new Date(at).toISOString().slice(0, 10));
  }
  return all;
}

/** 24, or one more or less when the clock changes. */
function hoursBetween(from: string, to: string): number[] {
  const start = Date.parse(from);
  return Array.from({ length: (Date.parse(to) - start) / HOUR_MS }, (_, index) => start + index * HOUR_MS);
}

export interface Sums {
  sold: Cents;
  returned: Cents;
  tickets: number;
  comps: number;
}

/** Totals of the whole sale. */
export function sumsOf({ days, items }: Sales): Sums {
  const tickets = new Set(items.filter(({ is_ticket }) => is_ticket).map(({ id }) => id));
  const sum = (read: (row: Counted) => number) => days.reduce((total, row) => total + read(row), 0);
  const net = ({ sold, returned }: Counted) => sold - returned;
  return {
    sold: sum(({ cents }) => cents),
    returned: sum(({ returned_cents: cents }) => cents),
    tickets: sum((row) => (tickets.has(row.item_id) && row.channel !== COMPS ? net(row) : 0)),
    comps: sum((row) => (tickets.has(row.item_id) && row.channel === COMPS ? net(row) : 0)),
  };
}

/** The file contains what was counted, however the screen splits it. */
export function salesCsv(
  items: Sales["items"],
  head: string,
  timeOf: (row: { day?: string; hour?: string }) => CsvValue,
): readonly CsvColumn<Counted & { day?: string; hour?: string }>[] {
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return [
    [head, timeOf],
    ["Item", (row) => names.get(row.item_id) ?? row.item_id],
    ["Channel", (row) => row.channel],
    ["Sold", (row) => row.sold],
    ["Sales", (row) => csvMoney(row.cents)],
    ["Units refunded", (row) => row.returned],
    ["Refunded", (row) => csvMoney(row.returned_cents)],
  ];
}

/** "$12,000" on an axis, whose amounts rarely have cents. */
export const axisDollars = (cents: Cents): string => formatCents(cents).replace(/\.00$/, "");
