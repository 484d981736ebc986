// Whether something is for sale: the rule of SQL's sale_state and reserve_orders, for a row that was read and is shown.

export type SaleState = "open" | "paused" | "upcoming" | "ended";

/** What the organiser decided, of the shop or of one ticket type or parking pass. */
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

/** A ticket type or parking pass. */
export interface Stock extends Sale {
  readonly current_inventory: number;
  readonly is_vip?: boolean;
}

/** What get_sale answers: the whole shop's sale, and what VIP can still claim of parking; null when it claims nothing. */
export interface Shop extends Sale {
  readonly vip_parking_left: number | null;
}

/** Sold out comes first: nothing else about it matters to a buyer then. */
export function offerState(row: Stock, shop: Shop, now: number): OfferState {
  if (row.current_inventory <= 0) return "sold-out";
  const shops = saleState(shop, now);
  if (shops !== "open") return shops;
  const own = saleState(row, now);
  return own === "open" && row.is_vip && shop.vip_parking_left === 0 ? "no-parking" : own;
}
