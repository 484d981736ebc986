import { formatCents, lineTotal, toCents } from "contract/money";
import { sortedItems, type Order } from "./model.ts";

/** What was bought, line by line, and the total. */
export function OrderItems({ order }: { order: Order }) {
  return (
    <>
      <ul className="divide-y-2 divide-dotted divide-ink/30">
        {sortedItems(order).map((item) => (
          <li key={item.id} className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0 wrap-anywhere">
              <span className="tabular-nums">{item.quantity} × </span>
              <span className="font-semibold">{item.name}</span>
            </span>
            <span className="tabular-nums">
              {item.unit_price === 0 ? "Included" : formatCents(lineTotal(item.unit_price, item.quantity))}
            </span>
          </li>
        ))}
      </ul>
      <p className="flex items-baseline justify-between gap-4 border-t-2 border-ink pt-3">
        <span className="font-bold">Total</span>
        <span className="display text-2xl tabular-nums">{formatCents(toCents(order.total_amount))}</span>
      </p>
    </>
  );
}
