// Whether something is for sale: the rule of SQL's sale_state, for a row that was read and is shown.

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
