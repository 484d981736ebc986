// The takings of the tills: by shift as the database returns them, and by person, added up here.
import { csvMoney, csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { tillShift } from "#lib/lists/till-reads.ts";
import { toCents, type Cents } from "contract/shop/money";
import { z } from "zod";

const item = z.object({ name: z.string(), units: z.number(), amount: z.number() });
export type SoldItem = z.infer<typeof item>;

const shift = tillShift.extend({
  seller: z.string(),
  closed_at: z.string().nullable(),
  counted: z.number().nullable(),
  difference: z.number().nullable(),
  note: z.string(),
  items: z.array(item),
});
export type TillShift = z.infer<typeof shift>;

export const tillReport = z.object({ items: z.array(item), shifts: z.array(shift) });

/** In cents, net of refunds. */
export interface Takings {
  seller: string;
  shifts: number;
  sales: number;
  voids: number;
  cash: Cents;
  card: Cents;
  /** Of the closed shifts. */
  difference: Cents;
}

/** The totals of each person's shifts, highest takings first. */
export function byPerson(shifts: readonly TillShift[]): Takings[] {
  const people = new Map<string, TillShift[]>();
  for (const one of shifts) people.set(one.seller, [...(people.get(one.seller) ?? []), one]);
  return [...people]
    .map(([seller, own]) => ({ ...takingsOf(own), seller }))
    .toSorted((a, b) => b.cash + b.card - a.cash - a.card || a.seller.localeCompare(b.seller));
}

export function takingsOf(shifts: readonly TillShift[]): Takings {
  const sum = (read: (one: TillShift) => number) => shifts.reduce((total, one) => total + read(one), 0);
  return {
    seller: "",
    shifts: shifts.length,
    sales: sum(({ sales }) => sales),
    voids: sum(({ voids }) => voids),
    cash: sum(({ cash, cash_back }) => toCents(cash) - toCents(cash_back)),
    card: sum(({ card, card_back }) => toCents(card) - toCents(card_back)),
    difference: sum(({ difference }) => toCents(difference ?? 0)),
  };
}

const itemsText = (items: readonly SoldItem[]) =>
  items.map(({ name, units }) => `${units} × ${name}`).join("; ");

export const shiftCsv: readonly CsvColumn<TillShift>[] = [
  ["Seller", (row) => row.seller],
  ["Opened (Central)", (row) => csvTime(row.opened_at)],
  ["Closed (Central)", (row) => csvTime(row.closed_at)],
  ["Sales", (row) => row.sales],
  ["Voids", (row) => row.voids],
  ["Items", (row) => itemsText(row.items)],
  ["Cash", (row) => csvMoney(toCents(row.cash))],
  ["Cash refunded", (row) => csvMoney(toCents(row.cash_back))],
  ["Cards", (row) => csvMoney(toCents(row.card))],
  ["Cards refunded", (row) => csvMoney(toCents(row.card_back))],
  ["Starting change", (row) => csvMoney(toCents(row.float))],
  ["Expected in the drawer", (row) => csvMoney(toCents(row.expected))],
  ["Counted", (row) => (row.counted === null ? null : csvMoney(toCents(row.counted)))],
  ["Difference", (row) => (row.difference === null ? null : csvMoney(toCents(row.difference)))],
  ["Note", (row) => row.note],
  ["ID", (row) => row.id],
];

/** One movement of money at a till. */
export const tillPayment = z.object({
  id: z.string(),
  shift_id: z.string(),
  order_id: z.string(),
  kind: z.string(),
  method: z.string(),
  amount: z.number(),
  reason: z.string().nullable(),
  refunded_by_email: z.string().nullable(),
  created_at: z.string(),
  till_shifts: z.object({ seller_email: z.string() }),
});
export type TillPayment = z.infer<typeof tillPayment>;

/** A refund's amount is negative, so the column adds up to the takings. */
export const paymentCsv: readonly CsvColumn<TillPayment>[] = [
  ["Time (Central)", (row) => csvTime(row.created_at)],
  ["Seller", (row) => row.till_shifts.seller_email],
  ["Order", (row) => row.order_id],
  ["Kind", (row) => row.kind],
  ["Method", (row) => row.method],
  ["Amount", (row) => csvMoney(toCents(row.amount) * (row.kind === "refund" ? -1 : 1))],
  ["Reason voided", (row) => row.reason],
  ["Voided by", (row) => row.refunded_by_email],
  ["ID", (row) => row.id],
];
