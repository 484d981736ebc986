// Stock rows and their edits. An edit remembers the row it started from and sends only changed fields, stock as a
// difference. After someone else's change it keeps what was typed and takes over the rest. The database checks the bounds.
import { parseOr } from "#lib/lists/back-office-reads.ts";
import { typedCents, typedUnits } from "#lib/typed-numbers.ts";
import { decimalText, formatCents, toCents, toDollars, type Cents } from "contract/shop/money";
import type { SaleState } from "contract/shop/sale";
import type { ProductKind } from "contract/shop/kinds";
import { productKind } from "#lib/lists/product-kind.ts";
import { maxLengths, priceBounds } from "contract/limits";
import type { Problems } from "#ui/forms/use-problems.ts";
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
  kinds: z.array(productKind),
  products: z.array(z.object({ ...stock, kind: z.string(), name: z.string() })),
});

/** The most units of one type; the database enforces it. */
export const MOST_UNITS = 1_000_000;

export type Inventory = z.infer<typeof inventoryStatus>;
export type StockRow = Inventory["products"][number];

/** A response of another shape is logged and read as an empty inventory (PRODUCT 9.12). */
export const parseInventory = (answer: unknown): Inventory =>
  parseOr("inventory", inventoryStatus, answer, { kinds: [], products: [] });

export const ticketTypesOf = ({ products }: Inventory): StockRow[] =>
  products.filter(({ kind }) => kind === "ticket");

export const ofKind = ({ products }: Inventory, { kind }: ProductKind): StockRow[] =>
  products.filter((row) => row.kind === kind);

/** Units that are neither available nor held nor sold, until an organizer makes them available. */
export function unassigned(row: StockRow): number {
  return row.total_inventory - row.current_inventory - row.held - row.sold;
}

/** The type with the most units that costs something. */
export const largestOf = (rows: readonly StockRow[]): StockRow | undefined =>
  rows.filter(({ price }) => price > 0).toSorted((a, b) => b.total_inventory - a.total_inventory)[0];

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

/** Keyed by column. */
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

export const PRICE_PROBLEM = "Price must be an amount in dollars, such as 25 or 25.50.";

const bound = (dollars: number) => formatCents(toCents(dollars));

/** Why a price is refused, naming the bound it breaks. */
export function priceProblem(typed: string): string | undefined {
  const [, minus, amount = ""] = /^\s*(-?)(.*)$/.exec(typed)!;
  const cents = typedCents(amount);
  if (cents === undefined) return PRICE_PROBLEM;
  if (minus) return `Price must be at least ${bound(0)}.`;
  if (cents > 0 && cents < toCents(priceBounds.charged)) {
    return `Price must be ${bound(0)} (free) or at least ${bound(priceBounds.charged)}, the minimum card charge.`;
  }
  if (cents > toCents(priceBounds.most)) return `Price can be at most ${bound(priceBounds.most)}.`;
}

/** What the form's fields are in the database. */
export const fieldOfColumn = {
  name: "name",
  price: "price",
  current_inventory: "available",
  total_inventory: "total",
} as const satisfies Record<string, keyof Draft>;

/** The database refuses what is below zero, and names the bound. */
function signedUnits(typed: string): number {
  const [, minus, units = ""] = /^\s*(-?)(.*)$/.exec(typed)!;
  return minus ? -typedUnits(units) : typedUnits(units);
}

/** The changed fields, or why they are refused. */
export function changesOf(draft: Draft, base: StockRow): StockChanges | { problems: Problems<keyof Draft> } {
  const from = draftOf(base);
  const fields: FieldChanges = {};
  const problems: Problems<keyof Draft> = {};
  const changed = (field: keyof Draft) => draft[field].trim() !== from[field];
  if (changed("name")) {
    const name = draft.name.trim();
    if (name.length < 1 || name.length > maxLengths.itemName) problems.name = NAME_PROBLEM;
    else fields.name = name;
  }
  if (changed("price")) {
    const wrong = priceProblem(draft.price);
    if (wrong) problems.price = wrong;
    else fields.price = toDollars(typedCents(draft.price)!);
  }
  for (const [field, label] of [
    ["available", "Available"],
    ["total", "Total"],
  ] as const) {
    if (changed(field) && Number.isNaN(signedUnits(draft[field]))) {
      problems[field] = `${label} must be a whole number.`;
    }
  }
  if (Object.keys(problems).length > 0) return { problems };
  return {
    fields,
    available: signedUnits(draft.available) - base.current_inventory,
    total: signedUnits(draft.total) - base.total_inventory,
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

/** For the second of two editors: what the first one changed, at each changed field. */
export function conflictProblems(base: StockRow, now: StockRow | undefined): Problems<keyof Draft> {
  if (!now) return { form: "Someone else removed this row. Press Cancel." };
  const from = draftOf(base);
  const to = draftOf(now);
  const news = (["name", "price", "available", "total"] as const)
    .filter((field) => from[field] !== to[field])
    .map((field) => [field, `Now ${to[field]}`]);
  return {
    form: "Someone else changed this row. Save again to keep your version, or cancel.",
    ...Object.fromEntries(news),
  };
}
