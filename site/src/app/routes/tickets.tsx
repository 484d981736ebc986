// Choosing tickets and parking: composes the catalogue with the cart.
import { useEffect } from "react";
import { allowanceWords, useTicketAllowance } from "#features/catalogue/allowance.ts";
import { shortagesOf } from "#features/catalogue/shortages.ts";
import { holdsTickets } from "#features/checkout/payment/attempt.ts";
import { useSession } from "#lib/session/session.tsx";
import type { TicketAllowance } from "contract/ticket-allowance";
import { CartBar } from "#features/cart/cart-bar.tsx";
import { CartPanel } from "#features/cart/cart-panel.tsx";
import { useCart } from "#features/cart/cart-provider.tsx";
import { useVipParking } from "#features/cart/use-vip-parking.ts";
import {
  generalParking,
  outdated,
  shopOffer,
  stockOffer,
  type Catalogue,
} from "#features/catalogue/model.ts";
import { SaleNotice } from "#features/catalogue/offer-words.tsx";
import { ParkingOption } from "#features/catalogue/parking-option.tsx";
import { useCatalogue } from "#features/catalogue/queries.ts";
import { TicketTypeCard } from "#features/catalogue/ticket-type-card.tsx";
import { DayCard } from "#features/cart/day-card.tsx";
import { TicketsFacts } from "#features/catalogue/tickets-facts.tsx";
import { TicketsSkeleton } from "#features/catalogue/tickets-skeleton.tsx";
import { TicketsWithoutScript } from "#features/catalogue/tickets-without-script.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Slab } from "#ui/art/slab.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { festival } from "contract/festival";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/tickets",
    title: "Tickets and Parking",
    description:
      "Day tickets, VIP and parking for the Houston Culture Festival on June 27, 2025. Secure checkout, QR code tickets.",
  });

export default function TicketsRoute() {
  const { catalogue, failed, retry } = useCatalogue();
  const { user } = useSession();
  const { items, ticketCount } = useCart();
  const allowance = useTicketAllowance(user?.id);
  const tooMany = allowance && ticketCount > allowance.remaining ? allowanceWords(allowance) : undefined;
  // What is held for this buyer is out of stock for everybody else only.
  const short = catalogue && !holdsTickets(user?.id) ? shortagesOf(items, catalogue) : [];
  return (
    <>
      <PosterHeader
        ground="brisket"
        title="Get Your Tickets"
        art={<Slab lettering={["Hold", "Up"]} className="absolute right-0 bottom-0 w-[46rem] max-w-none" />}
      >
        <p>
          {festival.dateText}, {festival.hoursText}. One ticket, the whole day: over 20 acts, the cook-off,
          the slabs and the marketplace. The price you see is the price you pay: no fees.
        </p>
      </PosterHeader>
      <div className="page-width pt-12 pb-24 lg:pt-16">
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,1fr)_23rem]">
          <div>
            {failed ? (
              <ErrorState title="Error loading ticket data. Please try again later." onRetry={retry} />
            ) : catalogue ? (
              <Choice catalogue={catalogue} allowance={allowance} />
            ) : (
              <>
                <TicketsWithoutScript />
                <TicketsSkeleton />
              </>
            )}
          </div>
          <div className="scroll-mt-24 lg:sticky lg:top-24" id="cart">
            <CartPanel shortages={short} problem={tooMany} />
            <DayCard />
          </div>
        </div>
        <TicketsFacts />
        <CartBar />
      </div>
    </>
  );
}

interface ChoiceProps {
  catalogue: Catalogue;
  allowance: TicketAllowance | undefined;
}

function Choice({ catalogue, allowance }: ChoiceProps) {
  const cart = useCart();
  const room = allowance && Math.max(0, allowance.remaining - cart.ticketCount);
  const parking = generalParking(catalogue.parkingPasses);
  const quantityOf = (id: string) => cart.items.find((item) => item.id === id)?.quantity ?? 0;
  const { sale } = catalogue;
  useCurrentPrices(catalogue);
  useVipParking(sale.vip_includes_parking);
  return (
    <>
      <SaleNotice offer={shopOffer(sale)} />
      <section aria-labelledby="ticket-types-title">
        <h2 id="ticket-types-title" className="display text-title">
          Tickets
        </h2>
        <div className="mt-5 space-y-5">
          {catalogue.ticketTypes.map((type) => (
            <TicketTypeCard
              key={type.id}
              ticketType={type}
              offer={stockOffer(type, sale)}
              quantity={quantityOf(type.id)}
              limit={
                allowance && {
                  quantity: quantityOf(type.id) + (room ?? 0),
                  text: allowanceWords(allowance),
                }
              }
              onQuantity={(quantity) =>
                cart.addItem({
                  id: type.id,
                  name: type.name,
                  price: type.price,
                  quantity,
                  type: "ticket",
                  itemData: type,
                })
              }
            />
          ))}
        </div>
      </section>
      {parking && (
        <section aria-labelledby="parking-title" className="mt-12">
          <h2 id="parking-title" className="display text-title">
            Add Parking
          </h2>
          <div className="mt-5">
            <ParkingOption
              pass={parking}
              offer={stockOffer(parking, sale)}
              noneForVip={sale.vip_parking_left === 0}
              quantity={quantityOf(parking.id)}
              includedWithVip={cart.parkingIncluded}
              onQuantity={(quantity) =>
                cart.addItem({
                  id: parking.id,
                  name: parking.type_name,
                  price: parking.price,
                  quantity,
                  type: "parking",
                  itemData: parking,
                })
              }
            />
          </div>
        </section>
      )}
    </>
  );
}

/** A cart from an earlier visit takes today's prices, and the buyer is told. */
function useCurrentPrices(catalogue: Catalogue) {
  const { items, addItem } = useCart();
  useEffect(() => {
    const changed = outdated(items, catalogue);
    if (changed.length === 0) return;
    for (const item of changed) addItem(item);
    toast.show(
      "Cart Updated",
      "Prices have changed since you filled your cart. It shows today's prices now.",
    );
  }, [items, catalogue, addItem]);
}
