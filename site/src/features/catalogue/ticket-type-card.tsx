import { Ticket } from "lucide-react";
import { formatPrice } from "#lib/format.ts";
import { Badge } from "#ui/badge.tsx";
import { classNames } from "#ui/class-names.ts";
import { QuantityStepper } from "#ui/quantity-stepper.tsx";
import { isChoosable, isSoldOut, isVip, type TicketType } from "./model.ts";

interface TicketTypeCardProps {
  ticketType: TicketType;
  quantity: number;
  onQuantity: (quantity: number) => void;
}

/** Under so many, the card says how many are left. */
const SCARCE = 50;

/** One ticket type as a torn-off stub: what it is, what it costs, how many. */
export function TicketTypeCard({ ticketType, quantity, onQuantity }: TicketTypeCardProps) {
  const { name, description, price, current_inventory } = ticketType;
  const soldOut = isSoldOut(ticketType);
  const vip = isVip(ticketType);
  return (
    <article
      aria-label={name}
      className={classNames(
        "grid border-2 border-ink bg-sheet transition-shadow duration-200 xs:grid-cols-[1fr_auto]",
        quantity > 0 && "shadow-[6px_6px_0_0_var(--color-brisket)]",
        soldOut && "bg-paper",
      )}
    >
      <div className="flex min-w-0 gap-4 p-5 sm:p-6">
        <span
          aria-hidden="true"
          className={classNames(
            "grid size-12 shrink-0 place-items-center text-white",
            vip ? "bg-slab" : "bg-candy",
            soldOut && "opacity-50",
          )}
        >
          <Ticket className="size-7 -rotate-12" strokeWidth={2} />
        </span>
        <div className="min-w-0">
          <h3 className="display text-heading">{name}</h3>
          <p className="mt-1.5 max-w-prose text-ink-soft">{description}</p>
          {!soldOut && current_inventory < SCARCE && (
            <p className="mt-2 font-semibold text-candy-deep">Only {current_inventory} left</p>
          )}
        </div>
      </div>
      <div className="flex items-center justify-between gap-4 border-ink p-5 flex-wrap max-xs:border-t-2 max-xs:border-dashed xs:min-w-44 xs:flex-col xs:items-end xs:justify-center xs:border-l-2 xs:border-dashed sm:p-6">
        <p className="display text-4xl tabular-nums">{formatPrice(price)}</p>
        {soldOut ? (
          <Badge tone="danger">Sold Out</Badge>
        ) : (
          <QuantityStepper
            label={name}
            value={quantity}
            max={current_inventory}
            onChange={(next) => isChoosable(next, current_inventory) && onQuantity(next)}
          />
        )}
      </div>
    </article>
  );
}
