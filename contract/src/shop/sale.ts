// Whether something is for sale: the rule of SQL's sale_state and reserve_orders, applied to a row that was read for
// display.
import { toCents, type Cents } from "./money.ts";

/** Tickets of a type that one buyer may wait for; SQL writes the same number, and a test compares them. */
export const waitlistLimit = 10;

export type SaleState = "open" | "paused" | "upcoming" | "ended";

/** The organizer's settings, for the shop or for one product. */
export interface Sale {
  readonly on_sale: boolean;
  readonly sale_opens_at: string | null;
  readonly sale_closes_at: string | null;
}

export function saleState({ on_sale, sale_opens_at, sale_closes_at }: Sale, now: number): SaleState {
  if (sale_closes_at !== null && Date.parse(sale_closes_at) <= now) return "ended";
  if (!on_sale) return "paused";
  return sale_opens_at !== null && Date.parse(sale_opens_at) > now ? "upcoming" : "open";
}

export type OfferState = SaleState | "sold-out" | "no-parking";

/** A product. */
export interface Stock extends Sale {
  readonly current_inventory: number;
  /** Units that the waitlist is waiting for; returned stock goes to it first. */
  readonly waiting?: number;
  readonly is_vip?: boolean;
}

/** The response of get_sale: the whole shop's sale. */
export interface Shop extends Sale {
  /** How many parking passes VIP tickets can still claim; null when they claim none. */
  readonly vip_parking_left: number | null;
  readonly fee: Fee | null;
}

/** The fee or tax that an organizer may add to each order, as get_sale returns it. Amounts are in dollars. */
export interface Fee {
  readonly name: string;
  /** Of the items' cost after the discount. */
  readonly percent: number;
  readonly per_ticket: number;
  readonly per_order: number;
  /** Whether it is refunded with the tickets. */
  readonly is_refunded: boolean;
  /** Whether prices are shown with it included; otherwise it is said beside each. */
  readonly in_prices: boolean;
}

/** SQL's fee_cents computes the same and is authoritative. A free order has no fee. */
export function feeCents(fee: Fee | null, cents: Cents, tickets: number): Cents {
  if (fee === null || cents === 0) return 0;
  const share = Math.floor((cents * toCents(fee.percent) + 5000) / 10_000);
  return toCents(fee.per_order) + toCents(fee.per_ticket) * tickets + share;
}

/** Sold out comes first: the buyer then needs to know nothing else. */
export function offerState(row: Stock, shop: Shop, now: number): OfferState {
  if (row.current_inventory <= (row.waiting ?? 0)) return "sold-out";
  const shops = saleState(shop, now);
  if (shops !== "open") return shops;
  const own = saleState(row, now);
  return own === "open" && row.is_vip && shop.vip_parking_left === 0 ? "no-parking" : own;
}
