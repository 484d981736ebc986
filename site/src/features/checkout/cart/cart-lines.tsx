// The lines and the total of a cart, as the cart panel and the checkout's summary show them.
import { TriangleAlert, X } from "lucide-react";
import { formatCents, lineTotal } from "contract/shop/money";
import type { CartItem } from "./record.ts";

export interface Adjustment {
  label: string;
  /** For a line that may receive focus. */
  id?: string;
  /** Negative for a discount. */
  cents: number;
  onRemove?: (() => void) | undefined;
}

interface CartLinesProps {
  items: readonly CartItem[];
  total: number;
  parkingIncluded: boolean;
  /** What counts toward the total, apart from the items. */
  adjustments?: readonly Adjustment[];
  /** The problem of a line, by the item's id. */
  notes?: ReadonlyMap<string, string>;
  /** Adds a remove button to each line. */
  onRemove?: (item: CartItem) => void;
}

export function CartLines({
  items,
  total,
  parkingIncluded,
  adjustments = [],
  notes,
  onRemove,
}: CartLinesProps) {
  return (
    <>
      <ul className="divide-y-2 divide-dotted divide-paper/35">
        {items.map((item) => (
          <li key={item.id} className="flex items-start gap-x-3 py-3 max-2xs:flex-wrap">
            <span className="min-w-0 flex-1 max-2xs:basis-full">
              <span className="block leading-tight font-semibold wrap-anywhere">{item.name}</span>
              <span className="text-sm tabular-nums opacity-85">
                {item.quantity} × {formatCents(lineTotal(item.price, 1))}
              </span>
              {notes?.has(item.id) && (
                <span className="mt-1.5 flex items-start gap-2 font-semibold text-brisket">
                  <TriangleAlert aria-hidden="true" className="mt-1 size-4 shrink-0" strokeWidth={2.5} />
                  {notes.get(item.id)}
                </span>
              )}
            </span>
            <span className="font-semibold tabular-nums">
              {formatCents(lineTotal(item.price, item.quantity))}
            </span>
            {onRemove && <RemoveButton what={item.name} onPress={() => onRemove(item)} />}
          </li>
        ))}
        {parkingIncluded && (
          <li className="flex items-start justify-between gap-x-3 py-3 max-2xs:flex-wrap">
            <span className="leading-tight font-semibold">General Parking</span>
            <span className="text-brisket">Included with VIP</span>
          </li>
        )}
        {adjustments.map(({ label, id, cents, onRemove: remove }) => (
          <li
            key={label}
            {...(id !== undefined && { id, tabIndex: -1 })}
            className="flex items-start gap-x-3 py-3 max-2xs:flex-wrap"
          >
            <span className="min-w-0 flex-1 leading-tight font-semibold wrap-anywhere max-2xs:basis-full">
              {label}
            </span>
            <span className="font-semibold tabular-nums">{formatCents(cents)}</span>
            {remove && <RemoveButton what={label} onPress={remove} />}
          </li>
        ))}
      </ul>
      <p className="mt-1 flex flex-wrap items-baseline justify-between gap-x-3 border-t-4 border-paper pt-4">
        <span className="display text-2xl">Total</span>
        <output className="display text-3xl tabular-nums" aria-label="Total">
          {formatCents(total)}
        </output>
      </p>
    </>
  );
}

function RemoveButton({ what, onPress }: { what: string; onPress: () => void }) {
  return (
    <button
      type="button"
      onClick={onPress}
      aria-label={`Remove ${what}`}
      className="-my-1.5 -mr-2.5 ml-auto grid size-11 shrink-0 place-items-center hover:bg-paper/15"
    >
      <X aria-hidden="true" className="size-5" strokeWidth={3} />
    </button>
  );
}
