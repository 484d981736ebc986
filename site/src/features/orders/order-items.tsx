import { formatCents, lineTotal, toCents } from "contract/shop/money";
import { refundedCents, sortedItems, type Order } from "./model.ts";

/** The items line by line, what was refunded since, and the total. */
export function OrderItems({ order }: { order: Order }) {
  const refunded = refundedCents(order);
  const discount = toCents(order.discount_amount);
  return (
    <>
      <ul className="divide-y-2 divide-dotted divide-ink/30">
        {sortedItems(order).map((item) => (
          <li key={item.id} className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0 wrap-anywhere">
              <span className="tabular-nums">{item.quantity} × </span>
              <span className="font-semibold">{item.name}</span>
              {item.refunded > 0 && (
                <>
                  {" "}
                  <span className="whitespace-nowrap text-ink-soft">({item.refunded} refunded)</span>
                </>
              )}
            </span>
            <span className="tabular-nums">
              {item.included ? "Included" : formatCents(lineTotal(item.unit_price, item.quantity))}
            </span>
          </li>
        ))}
        {discount > 0 && (
          <li className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0 wrap-anywhere">
              Promo code <span className="font-semibold">{order.promo_code}</span>
            </span>
            <span className="tabular-nums">{formatCents(-discount)}</span>
          </li>
        )}
        {order.fee_amount > 0 && (
          <li className="flex items-baseline justify-between gap-4 py-2">
            <span className="min-w-0 wrap-anywhere">{order.fee_name}</span>
            <span className="tabular-nums">{formatCents(toCents(order.fee_amount))}</span>
          </li>
        )}
      </ul>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-t-2 border-ink pt-3">
        <span className="font-bold">Total</span>
        <span className="display text-2xl tabular-nums">{formatCents(toCents(order.total_amount))}</span>
      </p>
      {refunded > 0 && (
        <p className="flex items-baseline justify-between gap-4 pt-1">
          <span>Refunded</span>
          <span className="tabular-nums">{formatCents(-refunded)}</span>
        </p>
      )}
    </>
  );
}
