// Choosing tickets and parking: composes the catalog with the cart.
import { useEffect } from "react";
import { shortagesOf } from "#features/catalog/shortages.ts";
import { useSession } from "#lib/session/session.tsx";
import type { ProductKind } from "contract/shop/kinds";
import { feeCents } from "contract/shop/sale";
import { shownPrice } from "contract/shop/shown-price";
import type { TicketAllowance } from "contract/shop/ticket-allowance";
import { CartBar } from "#features/checkout/cart/cart-bar.tsx";
import { CartPanel } from "#features/checkout/cart/cart-panel.tsx";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import type { CartItem } from "#features/checkout/cart/record.ts";
import { useVipParking } from "#features/checkout/cart/use-vip-parking.ts";
import {
  forBuyer,
  outdated,
  sectionsOf,
  shopOffer,
  stockOffer,
  type Catalog,
  type Product,
  type ShopSale,
  allowanceWords,
} from "#features/catalog/model.ts";
import { closedWords, SaleNotice } from "#features/catalog/offer-words.tsx";
import { ProductOption } from "#features/catalog/product-option.tsx";
import { useLiveStock } from "#features/catalog/live-stock.ts";
import { useCatalog, useTicketAllowance } from "#features/catalog/queries.ts";
import { TicketTypeCard } from "#features/catalog/ticket-type-card.tsx";
import { DayCard } from "#features/checkout/cart/day-card.tsx";
import { TicketsFacts } from "#features/catalog/tickets-facts.tsx";
import { TicketsSkeleton } from "#features/catalog/tickets-skeleton.tsx";
import { TicketsWithoutScript } from "#features/catalog/tickets-without-script.tsx";
import { useWaitlist, type Place } from "#features/waitlist/queries.ts";
import { WaitlistBox } from "#features/waitlist/waitlist-box.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Slab } from "#ui/art/slab.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { festivalNow, useFestival, useSection } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/tickets",
    title: "Tickets and Parking",
    description: `Day tickets, VIP and parking for the ${festivalNow().title} on ${festivalNow().dateText}. Secure checkout, QR code tickets.`,
  });

export default function TicketsRoute() {
  const { status } = useFestival();
  const { catalog: all, failed, retry } = useCatalog(useLiveStock());
  const { user, status: session } = useSession();
  const waitlist = useWaitlist(user?.id);
  /** Undefined until this buyer's waitlist places are known. */
  const places = session === "signed-out" ? nobodys : waitlist.data;
  const catalog = all && forBuyer(all, places ?? nobodys);
  const { items, ticketCount, total, isHeld } = useCart(user?.id);
  const allowance = useTicketAllowance(user?.id);
  const fee = catalog?.sale.fee ?? null;
  const feeLine = fee ? { label: fee.name, cents: feeCents(fee, total, ticketCount) } : undefined;
  const tooMany = allowance && ticketCount > allowance.remaining ? allowanceWords(allowance) : undefined;
  // Stock held for this buyer is not a shortage for them.
  const short = catalog && places && !isHeld ? shortagesOf(items, catalog) : [];
  const kinds = catalog && sectionsOf(catalog).map(({ kind }) => kind);
  return (
    <>
      <Poster />
      <div className="page-width pt-12 pb-24 lg:pt-16">
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,1fr)_23rem]">
          <div>
            {failed ? (
              <ErrorState title="Error loading ticket data. Please try again later." onRetry={retry} />
            ) : catalog ? (
              <Choice {...{ catalog, allowance, places, waitlist }} />
            ) : (
              <>
                <TicketsWithoutScript />
                <TicketsSkeleton />
              </>
            )}
          </div>
          <div className="scroll-mt-24 lg:sticky lg:top-24" id="cart">
            <CartPanel
              kinds={kinds}
              shortages={short}
              fee={feeLine}
              problem={tooMany}
              closed={catalog && !isHeld ? closedWords(shopOffer(catalog.sale), status) : undefined}
            />
            <DayCard />
          </div>
        </div>
        <TicketsFacts />
        <CartBar
          kinds={kinds}
          fee={feeLine?.cents ?? 0}
          shortages={short}
          isTooMany={tooMany !== undefined}
        />
      </div>
    </>
  );
}

function Poster() {
  const { lead } = useSection("tickets");
  const { status, title } = useFestival();
  return (
    <PosterHeader
      ground="brisket"
      title="Get Your Tickets"
      art={<Slab lettering={["Hold", "Up"]} className="absolute right-0 bottom-0 w-[46rem] max-w-none" />}
    >
      <p>{status === "cancelled" ? `${title} will not take place.` : lead}</p>
    </PosterHeader>
  );
}

interface ChoiceProps {
  catalog: Catalog;
  allowance: TicketAllowance | undefined;
  places: readonly Place[] | undefined;
  waitlist: ReturnType<typeof useWaitlist>;
}

const nobodys: readonly Place[] = [];

function Choice({ catalog, ...props }: ChoiceProps) {
  const { user } = useSession();
  // An order that another tab is paying keeps its prices and parking.
  const current = useCart(user?.id).isHeld ? undefined : catalog;
  useCurrentPrices(current);
  useVipParking(current?.sale);
  return (
    <>
      <SaleNotice offer={shopOffer(catalog.sale)} />
      {sectionsOf(catalog).map(({ kind, products }) =>
        kind.needs_attendee ? (
          <TicketTypes key={kind.kind} {...{ catalog, products }} {...props} />
        ) : (
          <Options key={kind.kind} kind={kind} products={products} sale={catalog.sale} />
        ),
      )}
    </>
  );
}

function TicketTypes({
  catalog,
  products,
  allowance,
  places,
  waitlist,
}: ChoiceProps & { products: readonly Product[] }) {
  const { user } = useSession();
  const isCancelled = useFestival().status === "cancelled";
  const { items, ticketCount, change } = useCart();
  const room = allowance && Math.max(0, allowance.remaining - ticketCount);
  return (
    <section aria-labelledby="ticket-types-title">
      <h2 id="ticket-types-title" className="display scroll-mt-24 text-title">
        Tickets
      </h2>
      <div className="mt-5 space-y-5">
        {products.map((type) => {
          const { id, name, price } = type;
          const chosen = quantityOf(items, id);
          const offer = stockOffer(type, catalog.sale);
          const own = places?.find(({ ticket_type_id }) => ticket_type_id === id);
          const hasPlace = own !== undefined && own.state !== "expired";
          return (
            <TicketTypeCard
              key={id}
              ticketType={type}
              price={shownPrice(catalog.sale.fee, price, true)}
              offer={offer}
              quantity={chosen}
              countsLeft={!hasPlace}
              limit={allowance && { quantity: chosen + (room ?? 0), text: allowanceWords(allowance) }}
              onQuantity={(quantity) =>
                change({ type: "add", item: { id, name, price, quantity, type: type.kind, itemData: type } })
              }
            >
              {!isCancelled && (offer.kind === "sold-out" || hasPlace) && (
                <WaitlistBox
                  typeId={id}
                  typeName={name}
                  place={own}
                  available={offer.kind === "open" ? type.current_inventory : 0}
                  isSignedIn={Boolean(user)}
                  unread={places ? undefined : waitlist}
                />
              )}
            </TicketTypeCard>
          );
        })}
      </div>
    </section>
  );
}

interface OptionsProps {
  kind: ProductKind;
  products: readonly Product[];
  sale: ShopSale;
}

/** What is sold together with tickets. */
function Options({ kind, products, sale }: OptionsProps) {
  const { items, parkingIncluded, change } = useCart();
  const titleId = `${kind.kind}-title`;
  return (
    <section aria-labelledby={titleId} className="mt-12">
      <h2 id={titleId} className="display text-title">
        Add {kind.title}
      </h2>
      <div className="mt-5 space-y-5">
        {products.map((product) => {
          const { id, name, price } = product;
          return (
            <ProductOption
              key={id}
              product={product}
              price={shownPrice(sale.fee, price, false)}
              offer={stockOffer(product, sale)}
              noneForVip={sale.vip_parking_left === 0}
              quantity={quantityOf(items, id)}
              includedWithVip={parkingIncluded && product.is_general}
              onQuantity={(quantity) =>
                change({
                  type: "add",
                  item: { id, name, price, quantity, type: kind.kind, itemData: product },
                })
              }
            />
          );
        })}
      </div>
    </section>
  );
}

const quantityOf = (items: readonly CartItem[], id: string) =>
  items.find((item) => item.id === id)?.quantity ?? 0;

/** Updates a cart from an earlier visit to today's prices, and shows a toast. */
function useCurrentPrices(catalog: Catalog | undefined) {
  const { items, change } = useCart();
  useEffect(() => {
    const changed = catalog ? outdated(items, catalog) : [];
    if (changed.length === 0) return;
    for (const item of changed) change({ type: "add", item });
    toast.show(
      "Cart Updated",
      "Prices have changed since you filled your cart. It shows today's prices now.",
    );
  }, [items, catalog, change]);
}
