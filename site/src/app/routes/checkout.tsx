// Checkout: composes account, cart and checkout.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { RequireUser } from "#features/account/require-user.tsx";
import { CartLines } from "#features/checkout/cart/cart-lines.tsx";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import { useVipParking } from "#features/checkout/cart/use-vip-parking.ts";
import { useCatalog, useTicketAllowance } from "#features/catalog/queries.ts";
import { allowanceWords, forBuyer, outdated, shopOffer } from "#features/catalog/model.ts";
import { closedWords, SaleNotice } from "#features/catalog/offer-words.tsx";
import { shortagesOf } from "#features/catalog/shortages.ts";
import type { Pricing } from "#features/checkout/model.ts";
import { keepsTotal } from "#features/checkout/state.ts";
import { useCheckoutState } from "#features/checkout/use-checkout.ts";
import { CheckoutScreen } from "#features/checkout/checkout-screen.tsx";
import { PROMO_LINE, PromoCodeForm } from "#features/checkout/promo/promo-code-form.tsx";
import { usePromoQuote } from "#features/checkout/promo/use-promo-quote.ts";
import { RoomBeforeSignIn } from "#features/checkout/waiting-room/room-before-sign-in.tsx";
import { feeCents } from "contract/shop/sale";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import { useWaitlist } from "#features/waitlist/queries.ts";
import { NeedsScript } from "../frame/needs-script.tsx";
import { useFestival } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Checkout",
    description: "Attendees, payment and confirmation.",
  });

export default function CheckoutRoute() {
  const { status } = useSession();
  const cart = useCart();
  const account = <RequireUser way="code">{(user) => <Checkout key={user.id} user={user} />}</RequireUser>;
  const waitsFirst = status === "signed-out" && cart.items.length > 0;
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36">
      <NeedsScript title="Checkout" />
      {waitsFirst ? <RoomBeforeSignIn>{account}</RoomBeforeSignIn> : account}
    </div>
  );
}

function Checkout({ user }: { user: SessionUser }) {
  const { cart, ...tab } = useCheckoutState(user.id);
  const refresh = useRefresh();
  const { catalog: all, failed, retry } = useCatalog();
  const places = useWaitlist(user.id).data;
  const catalog = all && forBuyer(all, places ?? []);
  // Held stock is neither short nor repriced, and is sold even though sales have been paused.
  const unheld = cart.isHeld ? undefined : catalog;
  const isPlaced = cart.isHeld || keepsTotal(tab.state);
  useVipParking(isPlaced ? undefined : catalog?.sale);
  // A waitlist place of this buyer is no shortage either, once it is known.
  const short = unheld && places ? shortagesOf(cart.items, unheld) : [];
  const repriced = unheld ? outdated(cart.items, unheld) : [];
  const shop = unheld && shopOffer(unheld.sale);
  const { status } = useFestival();
  const allowance = useTicketAllowance(user.id);
  const tooMany = allowance !== undefined && cart.ticketCount > allowance.remaining;
  const promo = usePromoQuote(user.id, cart.promoCode, cart.items);
  const fee = catalog?.sale.fee ?? null;
  const price = cart.total - promo.discount;
  const placed = isPlaced && cart.order?.key === cart.key ? cart.order : undefined;
  const total = placed?.total ?? price + feeCents(fee, price, cart.ticketCount);
  const feeAmount = total - price;
  const setCode = (code?: string) => cart.change({ type: "set-promo-code", code });
  const adjustments = (onRemove?: () => void) => [
    ...(promo.code === undefined
      ? []
      : [{ label: `Promo code ${promo.code}`, id: PROMO_LINE, cents: -promo.discount, onRemove }]),
    ...(feeAmount > 0 ? [{ label: fee?.name ?? "Fee", cents: feeAmount }] : []),
  ];
  return (
    <CheckoutScreen
      user={user}
      tab={tab}
      cart={{ ...cart, total, promoCode: promo.code }}
      promo={promo.state}
      pricing={pricingOf(catalog !== undefined, { failed, retry }, promo)}
      summary={(isEditable) => (
        <>
          <CartLines
            {...cart}
            total={total}
            adjustments={adjustments(isEditable ? () => setCode() : undefined)}
            notes={new Map(short.map(({ id, text }) => [id, text]))}
          />
          {isEditable && <PromoCodeForm quote={promo} typed={cart.promoCode} onType={setCode} />}
        </>
      )}
      closed={shop && closedWords(shop, status) && <SaleNotice offer={shop} />}
      takePrices={
        repriced.length > 0
          ? () => {
              for (const item of repriced) cart.change({ type: "add", item });
            }
          : undefined
      }
      refusal={tooMany ? allowanceWords(allowance) : undefined}
      onChange={refresh}
    />
  );
}

/** Refetches everything that an order changes. */
function useRefresh() {
  const queryClient = useQueryClient();
  return useCallback(() => {
    const keys = ["orders", "tickets", "products", "sale", "ticket_allowance", "promo_quote"];
    for (const key of keys) {
      void queryClient.invalidateQueries({ queryKey: [key] });
    }
  }, [queryClient]);
}

/** Whether the total is known. It needs the catalog and the promo code's discount. */
function pricingOf(
  hasCatalog: boolean,
  { failed, retry }: Pick<ReturnType<typeof useCatalog>, "failed" | "retry">,
  promo: ReturnType<typeof usePromoQuote>,
): Pricing {
  if (!hasCatalog) {
    return { state: failed ? "unknown" : "checking", message: "We could not load the prices.", retry };
  }
  if (promo.state !== "checking" && promo.state !== "unknown") return { state: "known" };
  return { state: promo.state, message: promo.message, retry: promo.retry };
}
