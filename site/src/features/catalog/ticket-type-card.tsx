import { Ticket } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { ShownPrice } from "contract/shop/shown-price";
import { classNames } from "#ui/basics/class-names.ts";
import { QuantityStepper } from "#ui/forms/quantity-stepper.tsx";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { isChoosable, type Offer, type Product } from "./model.ts";
import { OfferBadge, offerLine } from "./offer-words.tsx";
import { PriceTag } from "./price-tag.tsx";

interface TicketTypeCardProps {
  ticketType: Product;
  price: ShownPrice;
  offer: Offer;
  quantity: number;
  /** Whether the card says how few are left; the waitlist's words below it do for who has a place. */
  countsLeft: boolean;
  /** How many of this type the buyer may have, including those in the cart, and the text for it. */
  limit: { quantity: number; text: string } | undefined;
  onQuantity: (quantity: number) => void;
  /** Below the stub. */
  children?: ReactNode;
}

/** Below this, the card shows how many are left. */
const SCARCE = 50;

/** One ticket type as a torn-off stub: what it is, what it costs, how many. */
export function TicketTypeCard({
  ticketType,
  price,
  offer,
  quantity,
  countsLeft,
  limit,
  onQuantity,
  children,
}: TicketTypeCardProps) {
  const { name, current_inventory, is_vip } = ticketType;
  const open = offer.kind === "open";
  const max = Math.min(current_inventory, limit?.quantity ?? current_inventory);
  const limited =
    open && limit !== undefined && quantity >= limit.quantity && limit.quantity < current_inventory;
  const limitId = useId();
  const kept = useKeptFocus();
  return (
    <article
      {...kept}
      aria-label={name}
      className={classNames(
        "@container border-2 border-ink bg-sheet transition-shadow duration-200",
        quantity > 0 && "shadow-[6px_6px_0_0_var(--color-brisket)]",
        !open && "bg-paper",
      )}
    >
      {/* Side by side only where the longest word of a name fits. */}
      <div className="grid grid-cols-[minmax(0,1fr)] @lg:grid-cols-[minmax(0,1fr)_auto]">
        <div className="flex min-w-0 gap-4 p-5 sm:p-6 @max-[13rem]:flex-col">
          <Mark isVip={is_vip} open={open} />
          <About
            ticketType={ticketType}
            offer={offer}
            countsLeft={countsLeft}
            limit={limited ? { id: limitId, text: limit.text } : undefined}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-4 border-ink p-5 max-xs:gap-2 sm:p-6 @max-lg:border-t-2 @max-lg:border-dashed @lg:min-w-44 @lg:flex-col @lg:items-end @lg:justify-center @lg:border-l-2 @lg:border-dashed">
          <PriceTag price={price} />
          {open ? (
            <QuantityStepper
              label={name}
              value={quantity}
              max={max}
              describedBy={limited ? limitId : undefined}
              onChange={(next) => isChoosable(next, Math.max(max, quantity)) && onQuantity(next)}
            />
          ) : (
            <OfferBadge offer={offer} />
          )}
        </div>
      </div>
      {children}
    </article>
  );
}

interface AboutProps {
  ticketType: Product;
  offer: Offer;
  countsLeft: boolean;
  /** The notice that the buyer cannot have more. */
  limit: { id: string; text: string } | undefined;
}

function About({
  ticketType: { name, description, current_inventory },
  offer,
  countsLeft,
  limit,
}: AboutProps) {
  const line = offerLine(offer);
  return (
    <div className="min-w-0">
      <h3 className="display text-heading wrap-anywhere">{name}</h3>
      <p className="mt-1.5 max-w-prose wrap-anywhere text-ink-soft">{description}</p>
      {line && <p className="mt-2 font-semibold">{line}</p>}
      {offer.kind === "open" && countsLeft && current_inventory < SCARCE && (
        <p className="mt-2 font-semibold text-candy-deep">Only {current_inventory} left</p>
      )}
      {limit && (
        <p id={limit.id} className="mt-2 font-semibold">
          {limit.text}
        </p>
      )}
    </div>
  );
}

function Mark({ isVip, open }: { isVip: boolean; open: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={classNames(
        "grid size-12 shrink-0 place-items-center text-white",
        isVip ? "bg-slab" : "bg-candy",
        !open && "opacity-50",
      )}
    >
      <Ticket className="size-7 -rotate-12" strokeWidth={2} />
    </span>
  );
}
