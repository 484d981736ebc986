import { formatCents } from "contract/shop/money";
import type { ShownPrice } from "contract/shop/shown-price";

/** A price, with what is said about the fee below it. */
export function PriceTag({ price: { cents, note } }: { price: ShownPrice }) {
  return (
    <div className="min-w-0 @lg:text-right">
      <p className="display text-4xl tabular-nums">{formatCents(cents)}</p>
      {note && <p className="mt-1 max-w-48 text-sm wrap-anywhere text-ink-soft">{note}</p>}
    </div>
  );
}
