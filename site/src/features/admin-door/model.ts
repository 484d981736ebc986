// A sale at the door before it is made: the items, their cost, and the change. The database sets the prices and decides.
import { tillShift } from "#lib/lists/till-reads.ts";
import { formatCents, toCents, type Cents } from "contract/shop/money";
import type { SaleState } from "contract/shop/sale";
import { z } from "zod";

const offer = z.object({
  /** The kind of product. */
  type: z.string(),
  id: z.string(),
  name: z.string(),
  price: z.number(),
  available: z.number(),
  is_vip: z.boolean(),
  is_general: z.boolean(),
  sale_opens_at: z.string().nullable(),
  sale: z.enum(["open", "paused", "upcoming", "ended"] satisfies SaleState[]),
});
export type Offer = z.infer<typeof offer>;

export type Shift = z.infer<typeof tillShift>;

const methods = { cash: "Cash", card: "Card" } as const;
export type Method = keyof typeof methods;

/** "$45.00 cash", or "free". The till records a free sale as cash. */
export const paidWords = (cents: Cents, method: Method): string =>
  cents === 0 ? "free" : `${formatCents(cents)} ${methods[method].toLowerCase()}`;

const recentSale = z.object({
  order_id: z.string(),
  at: z.string(),
  method: z.enum(["cash", "card"]),
  amount: z.number(),
  is_void: z.boolean(),
  items: z.string(),
});
export type RecentSale = z.infer<typeof recentSale>;

export const till = z.object({
  /** Maximum units per sale. */
  most: z.number(),
  vip_includes_parking: z.boolean(),
  items: z.array(offer),
  shift: tillShift.nullable(),
  recent: z.array(recentSale),
});
export type Till = z.infer<typeof till>;

/** Units by the offer's id. */
export type Wanted = Readonly<Record<string, number>>;

export const unitsOf = (wanted: Wanted): number =>
  Object.values(wanted).reduce((sum, units) => sum + units, 0);

/** Drops items that are no longer offered or sold out, and keeps the rest. */
export function stillOffered(wanted: Wanted, { items }: Till): Wanted {
  return Object.fromEntries(
    items.flatMap((row) => {
      const units = row.sale === "open" ? Math.min(wanted[row.id] ?? 0, row.available) : 0;
      return units > 0 ? [[row.id, units]] : [];
    }),
  );
}

export function totalOf(wanted: Wanted, { items }: Till): Cents {
  return items.reduce((sum, { id, price }) => sum + toCents(price) * (wanted[id] ?? 0), 0);
}

export function linesOf(wanted: Wanted, { items }: Till): { type: string; id: string; quantity: number }[] {
  return items.flatMap(({ type, id }) => (wanted[id] ? [{ type, id, quantity: wanted[id] }] : []));
}

/** "2 × General Admission, 1 × General Parking"; no-break spaces keep each number with its item. */
export function wordsOf(wanted: Wanted, { items }: Till): string {
  return items
    .flatMap(({ id, name }) => (wanted[id] ? [`${wanted[id]}\u00A0×\u00A0${name}`] : []))
    .join(", ");
}

/** Why no more of it can be added, or undefined. */
export function limitOf(row: Offer, wanted: Wanted, now: Till): string | undefined {
  if (row.sale === "paused") return "Paused";
  if (row.sale === "upcoming") return "Not on sale yet";
  if (row.sale === "ended") return "Sale has ended";
  if (row.available === 0) return "Sold out";
  const chosen = (test: (other: Offer) => boolean) =>
    now.items.some((other) => test(other) && (wanted[other.id] ?? 0) > 0);
  if (now.vip_includes_parking && row.is_general && chosen(({ is_vip }) => is_vip)) return "Comes with VIP";
  if (now.vip_includes_parking && row.is_vip && chosen(({ is_general }) => is_general)) {
    return "Remove General Parking first; VIP includes it";
  }
  if ((wanted[row.id] ?? 0) >= row.available) return "No more left";
  if (unitsOf(wanted) >= now.most) return `Limit: ${now.most} per sale`;
  return undefined;
}

/** Amounts people are likely to hand over: the exact one first, then the next notes above it. */
export function likelyTenders(total: Cents): Cents[] {
  const above = [500, 1000, 2000, 5000, 10_000].map((note) => Math.ceil(total / note) * note);
  return [...new Set([total, ...above])].slice(0, 5);
}

/** A sale that was sent and may or may not have been made. Sent again under its key, it is made only once. */
export const attempt = z.object({
  key: z.string(),
  items: z.array(z.object({ type: z.string(), id: z.string(), quantity: z.number() })),
  words: z.string(),
  method: z.enum(["cash", "card"]),
  cents: z.number(),
  /** In cents; only for cash. */
  tendered: z.number().optional(),
});
export type Attempt = z.infer<typeof attempt>;

/** A sale of this as it is offered now. */
export const attemptOf = (wanted: Wanted, till: Till, method: Method): Attempt => ({
  key: crypto.randomUUID(),
  items: linesOf(wanted, till),
  words: wordsOf(wanted, till),
  method,
  cents: totalOf(wanted, till),
});
