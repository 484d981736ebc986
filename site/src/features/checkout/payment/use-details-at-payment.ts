import { useState } from "react";
import { useLocation } from "react-router";
import { checkoutLocation } from "../location-state.ts";
import { rememberedDetails, type CheckoutCart } from "../model.ts";
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
  const isPaying = checkoutLocation(useLocation().state, userId)?.step === "payment";
  const { buyerInfo, seats } = cart;
  // Another cart has other details.
  const tickets = isPaying ? seats.map(({ ticketTypeId }) => ticketTypeId).join() : undefined;
  const [kept, setKept] = useState(() => {
    const placed = isPaying ? placedAttempt(userId) : undefined;
    const before = placed && rememberedDetails(placed.fingerprint, seats);
    return { tickets, ...(before ?? { buyerInfo, seats }) };
  });
  const isKept = tickets !== undefined && kept.tickets === tickets;
  if (kept.tickets !== tickets) setKept({ tickets, buyerInfo, seats });
  return { cart: isKept ? { ...cart, buyerInfo: kept.buyerInfo, seats: kept.seats } : cart, isPaying };
}
