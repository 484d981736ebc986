// Cart lines that cannot be bought as they are: gone, closed, or too few left. Pure.
import { stockOffer, type Catalog, type Offer } from "./model.ts";

interface Line {
  id: string;
  quantity: number;
}

export interface Shortage {
  id: string;
  /** How many are left. */
  available: number;
  /** The message on the line. */
  text: string;
}

const closed: Readonly<Record<Exclude<Offer["kind"], "open">, string>> = {
  "sold-out": "Sold out",
  "no-parking": "Not available because parking is sold out",
  paused: "Not on sale at the moment",
  ended: "Sales have ended",
  upcoming: "Not on sale yet",
};

export function shortagesOf(lines: readonly Line[], catalog: Catalog): Shortage[] {
  return lines.flatMap(({ id, quantity }) => {
    const row = catalog.products.find((product) => product.id === id);
    if (!row) return [{ id, available: 0, text: "No longer on sale" }];
    const { kind } = stockOffer(row, catalog.sale);
    // Paused or not yet open: it will be on sale later, so the line may stay.
    if (kind === "paused" || kind === "upcoming") return [{ id, available: quantity, text: closed[kind] }];
    if (kind !== "open") return [{ id, available: 0, text: closed[kind] }];
    const left = row.current_inventory;
    return quantity > left ? [{ id, available: left, text: `Only ${left} left` }] : [];
  });
}
