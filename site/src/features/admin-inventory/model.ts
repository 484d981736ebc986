// Stock rows and their edits. An edit remembers the row it started from and sends only changed fields, stock as a
// difference. After someone else's change it keeps what was typed and takes over the rest. The database checks the bounds.
import { parseOr } from "#lib/lists/back-office-reads.ts";
import { typedCents } from "#lib/typed-cents.ts";
import { decimalText, toCents, toDollars, type Cents } from "contract/money";
import type { SaleState } from "contract/sale";
import { maxLengths } from "contract/schemas";
import { z } from "zod";

const stock = {
  id: z.string(),
  price: z.number(),
  current_inventory: z.number(),
  total_inventory: z.number(),
  sold: z.number(),
  held: z.number(),
  /** How many of the sold units are comps. */
  comps: z.number(),
  revenue: z.number(),
  version: z.number(),
  description: z.string(),
  on_sale: z.boolean(),
  sale_opens_at: z.string().nullable(),
  sale_closes_at: z.string().nullable(),
  is_hidden: z.boolean(),
  sale: z.enum(["open", "paused", "upcoming", "ended"] satisfies SaleState[]),
};
const inventoryStatus = z.object({
  tickets: z.array(z.object({ ...stock, name: z.string() })),
  parking: z.array(z.object({ ...stock, type_name: z.string() })),
});

/** The most units of one type; the database enforces it. */
export const MOST_UNITS = 1_000_000;

export type StockKind = "ticket" | "parking";
export interface StockRow extends z.infer<z.ZodObject<typeof stock>> {
  kind: StockKind;
  name: string;
}
export interface Inventory {
  tickets: StockRow[];
  parking: StockRow[];
}

/**
 * A response of another shape is logged and read as an empty inventory (PRODUCT 9.12). A parking pass's type_name is its
 * name here.
 */
export function parseInventory(answer: unknown): Inventory {
  const { tickets, parking } = parseOr("inventory", inventoryStatus, answer, { tickets: [], parking: [] });
  return {
    tickets: tickets.map((row) => ({ kind: "ticket", ...row })),
    parking: parking.map(({ type_name: name, ...row }) => ({ kind: "parking", name, ...row })),
  };
}

/** Units that are neither available nor held nor sold, until an organiser makes them available. */
export function unassigned(row: StockRow): number {
  return row.total_inventory - row.current_inventory - row.held - row.sold;
}

export function revenueOf(rows: readonly StockRow[]): Cents {
  return rows.reduce((sum, row) => sum + toCents(row.revenue), 0);
}

/** The fields' text while a row is being edited. */
export interface Draft {
  name: string;
  price: string;
  available: string;
  total: string;
}

/** Keyed by column, except that the name of either kind is "name". */
export interface FieldChanges {
  name?: string;
  price?: number;
  on_sale?: boolean;
  is_hidden?: boolean;
  sale_opens_at?: string | null;
  sale_closes_at?: string | null;
}

export interface StockChanges {
  fields: FieldChanges;
  /** A difference, because orders may arrive meanwhile. */
  available: number;
  total: number;
}

export function draftOf(row: StockRow): Draft {
  return {
    name: row.name,
    price: decimalText(toCents(row.price)),
    available: String(row.current_inventory),
    total: String(row.total_inventory),
  };
}

/** Why a name is refused, matching the database. */
export const NAME_PROBLEM = `Name must have 1 to ${maxLengths.itemName} characters.`;

/** "1,000" is a thousand, as the tables print it. NaN when the text is not a whole number. */
export function typedUnits(typed: string): number {
  const digits = typed.trim().replaceAll(",", "");
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}

/** In cents; undefined when it is not an amount. A negative one passes: the database says which bound it breaks. */
export function typedPrice(typed: string): Cents | undefined {
  const text = typed.trim();
  const cents = typedCents(text.replace(/^-/, ""));
  return cents !== undefined && text.startsWith("-") ? -cents : cents;
}

export const PRICE_PROBLEM = "Price must be an amount in dollars, such as 25 or 25.50.";

/** The changed fields, or why a field cannot be read. */
export function changesOf(draft: Draft, base: StockRow): StockChanges | { problem: string } {
  const from = draftOf(base);
  const fields: FieldChanges = {};
  const changed = (field: keyof Draft) => draft[field].trim() !== from[field];
  if (changed("name")) {
    const name = draft.name.trim();
    if (name.length < 1 || name.length > maxLengths.itemName) return { problem: NAME_PROBLEM };
    fields.name = name;
  }
  if (changed("price")) {
    const cents = typedPrice(draft.price);
    if (cents === undefined) return { problem: PRICE_PROBLEM };
    fields.price = toDollars(cents);
  }
  for (const [field, label] of [
    ["available", "Available"],
    ["total", "Total"],
  ] as const) {
    if (changed(field) && !/^-?\d{1,9}$/.test(draft[field].trim())) {
      return { problem: `${label} must be a whole number.` };
    }
  }
  return {
    fields,
    available: Number(draft.available) - base.current_inventory,
    total: Number(draft.total) - base.total_inventory,
  };
}

export function isNothing({ fields, available, total }: StockChanges): boolean {
  return Object.keys(fields).length === 0 && available === 0 && total === 0;
}

/** Keeps what was typed; untouched fields take the row's current values. */
export function rebase(draft: Draft, base: StockRow, now: StockRow): Draft {
  const from = draftOf(base);
  const to = draftOf(now);
  const follow = (field: keyof Draft) => (draft[field].trim() === from[field] ? to[field] : draft[field]);
  return {
    name: follow("name"),
    price: follow("price"),
    available: follow("available"),
    total: follow("total"),
  };
}

/** For the second of two editors: what the first one changed. */
export function conflictMessage(base: StockRow, now: StockRow | undefined): string {
  if (!now) return "Somebody else removed this row. Cancel to leave it.";
  const from = draftOf(base);
  const to = draftOf(now);
  const news = (["name", "price", "available", "total"] as const)
    .filter((field) => from[field] !== to[field])
    .map((field) => `${field} is now ${to[field]}`);
  const what = news.length > 0 ? `: ${news.join(", ")}` : "";
  return `Somebody else changed this row${what}. Save again to keep what you typed, or cancel.`;
}
