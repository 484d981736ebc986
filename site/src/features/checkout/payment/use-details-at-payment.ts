import { useContext, useEffect, useState } from "react";
import {
  UNSAFE_DataRouterContext as DataRouterContext,
  useLocation,
  useNavigate,
  useNavigation,
} from "react-router";
import { checkoutLocation } from "../location-state.ts";
import { isForCart, rememberedDetails, type CheckoutCart } from "../model.ts";
import { placedAttempt } from "./attempt.ts";

type Details = Pick<CheckoutCart, "buyerInfo" | "seats">;

/**
 * The cart as this tab pays for it, and whether it is at the payment. There, the buyer and the attendees stay as they were when it
 * was opened, also over a reload: what another tab types meanwhile would replace the order, and the form with the typed card. It
 * counts once one of the tabs continues to payment with it.
 */
export function useDetailsAtPayment<Cart extends Details>(
  userId: string,
  cart: Cart,
): { cart: Cart; isPaying: boolean } {
  const here = checkoutLocation(useLocation().state, userId);
  const isPaying = here?.step === "payment";
  const { buyerInfo, seats } = cart;
  // Another cart has other details.
  const tickets = isPaying ? seats.map(({ ticketTypeId }) => ticketTypeId).join() : undefined;
  const [kept, setKept] = useState(() => {
    const placed = isPaying ? placedAttempt(userId) : undefined;
    // Until the order of this payment is placed, the remembered one may be from before a correction.
    const isOfEntry = placed !== undefined && placed.idempotencyKey === here?.attempt;
    const before = isOfEntry ? rememberedDetails(placed.fingerprint, seats) : undefined;
    return { tickets, ...(before ?? { buyerInfo, seats }) };
  });
  const isKept = tickets !== undefined && kept.tickets === tickets;
  if (kept.tickets !== tickets) setKept({ tickets, buyerInfo, seats });
  return { cart: isKept ? { ...cart, buyerInfo: kept.buyerInfo, seats: kept.seats } : cart, isPaying };
}

/** Names the order that is placed for this cart in the history entry of the payment, and no longer the one before it. */
export function useAttemptInHistory(
  userId: string,
  cart: Pick<CheckoutCart, "items" | "seats" | "buyerInfo">,
): void {
  const { state } = useLocation();
  const navigate = useNavigate();
  const router = useContext(DataRouterContext)?.router;
  // The entry would call back a buyer who is on the way to another page.
  const isLeaving = useNavigation().state !== "idle";
  const placed = placedAttempt(userId);
  const attempt = placed && isForCart(placed.fingerprint, cart) ? placed.idempotencyKey : undefined;
  const here = checkoutLocation(state, userId);
  const isToBeNamed = here?.step === "payment" && here.attempt !== attempt && !isLeaving;
  useEffect(() => {
    if (!isToBeNamed) return;
    // A press that React has not rendered yet may have left already.
    if (router && (router.state.navigation.state !== "idle" || router.state.location.state !== state)) return;
    void navigate("/checkout", { state: { ...state, attempt }, replace: true, preventScrollReset: true });
  }, [isToBeNamed, attempt, state, router, navigate]);
}
