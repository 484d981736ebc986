// The rules of checkout (PRODUCT 6), pure.
import { formatCents, toCents, toDollars } from "contract/shop/money";
import { checkoutDetailsSchema, type CreatePaymentIntent } from "contract/schemas";
import type { CartAccess } from "./cart/cart-provider.tsx";
import type { CartItem } from "./cart/record.ts";
import type { Seat } from "./cart/seats.ts";

export type CheckoutStep = "attendees" | "payment" | "confirmation";

export const stepNames = ["Attendee Info", "Payment", "Confirmation"] as const;

/** Whether the cart's total matches what the server would charge, which requires a known promo code and fee. */
export type Pricing =
  | { state: "known" }
  | { state: "checking" | "unknown"; message: string | undefined; retry: () => void };

/** The cart, priced as the server would charge it. `total` has the fee, and the discount of `promoCode` subtracted. */
export type CheckoutCart = CartAccess;

/** The seats with the form's entries for each, in the same order. */
export function seatsWith(
  seats: readonly Seat[],
  entries: readonly { name?: string | undefined; email?: string | undefined }[],
): Seat[] {
  return seats.map((seat, index) => ({
    ...seat,
    name: entries[index]?.name ?? "",
    email: entries[index]?.email ?? "",
  }));
}

/** "General Admission is now $50.00 instead of $45.00.", one sentence for each changed price. */
export function priceChanges(
  before: readonly Pick<CartItem, "id" | "price">[],
  now: readonly Pick<CartItem, "id" | "name" | "price">[],
): string[] {
  return now.flatMap(({ id, name, price }) => {
    const was = before.find((item) => item.id === id)?.price;
    return was === undefined || was === price
      ? []
      : `${name} is now ${formatCents(toCents(price))} instead of ${formatCents(toCents(was))}.`;
  });
}

/** Whether payment may begin: one attendee per ticket, and complete buyer details. */
export function detailsComplete(cart: Pick<CheckoutCart, "seats" | "buyerInfo" | "ticketCount">): boolean {
  return (
    cart.ticketCount > 0 &&
    cart.seats.length === cart.ticketCount &&
    checkoutDetailsSchema.safeParse({
      buyer: cart.buyerInfo,
      attendees: cart.seats.map(({ name, email }) => ({ name, email })),
    }).success
  );
}

/** The body of create-payment-intent: attendees in the order of the items, each under its ticket type. */
export function orderRequest(
  cart: Pick<CheckoutCart, "items" | "seats" | "buyerInfo" | "total" | "promoCode">,
): Omit<CreatePaymentIntent, "idempotencyKey"> {
  return {
    items: cart.items.map(({ id, name, price, quantity, type }) => ({ id, name, price, quantity, type })),
    attendees: cart.seats.map(({ name, email, ticketTypeId }) => ({
      name: name.trim(),
      email: email.trim(),
      ticketTypeId,
    })),
    buyerInfo: cart.buyerInfo,
    totalAmount: toDollars(cart.total),
    ...(cart.promoCode !== undefined && { promoCode: cart.promoCode }),
  };
}
