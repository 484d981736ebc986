// The rules of checkout (specification 000, sections 4 and 5), pure.
import { toDollars, type Cents } from "contract/money";
import { checkoutDetailsSchema, type CheckoutDetails, type CreatePaymentIntent } from "contract/schemas";

export type CheckoutStep = "attendees" | "payment" | "confirmation";

export const stepNames = ["Attendee Info", "Payment", "Confirmation"] as const;

export interface CheckoutItem {
  id: string;
  name: string;
  /** Dollars. */
  price: number;
  quantity: number;
  type: "ticket" | "parking";
}

/** What checkout needs of the cart; the route gives it. */
export interface CheckoutCart {
  items: readonly CheckoutItem[];
  attendees: CheckoutDetails["attendees"] | readonly { name: string; email: string }[];
  buyerInfo: CheckoutDetails["buyer"];
  total: Cents;
  ticketCount: number;
  setAttendees: (attendees: readonly { name: string; email: string }[]) => void;
  mergeBuyer: (buyer: Partial<CheckoutDetails["buyer"]>) => void;
  setQuantity: (id: string, quantity: number) => void;
  clear: () => void;
}

/** The name of the ticket that each attendee entry is for, in the order in which tickets are issued. */
export function ticketSlots(items: readonly CheckoutItem[]): string[] {
  return items.flatMap((item) =>
    item.type === "ticket" ? Array.from({ length: item.quantity }, () => item.name) : [],
  );
}

/** Only entries with both name and email are kept in the cart. */
export function filledAttendees(
  attendees: readonly { name?: string | undefined; email?: string | undefined }[],
) {
  return attendees.flatMap(({ name, email }) => (name?.trim() && email?.trim() ? [{ name, email }] : []));
}

/** As many entries as there are tickets: those of the cart, then empty ones. */
export function attendeeEntries(attendees: CheckoutCart["attendees"], tickets: number) {
  return Array.from({ length: tickets }, (_, index) => attendees[index] ?? { name: "", email: "" });
}

/** Whether payment may begin: one attendee a ticket, and the buyer complete. */
export function detailsComplete(
  cart: Pick<CheckoutCart, "attendees" | "buyerInfo" | "ticketCount">,
): boolean {
  return (
    cart.ticketCount > 0 &&
    cart.attendees.length === cart.ticketCount &&
    checkoutDetailsSchema.safeParse({ buyer: cart.buyerInfo, attendees: cart.attendees }).success
  );
}

/** The body of create-payment-intent. */
export function orderRequest(
  cart: Pick<CheckoutCart, "items" | "attendees" | "buyerInfo" | "total">,
): Omit<CreatePaymentIntent, "idempotencyKey"> {
  return {
    items: cart.items.map(({ id, name, price, quantity, type }) => ({ id, name, price, quantity, type })),
    attendees: cart.attendees.map(({ name, email }) => ({ name: name.trim(), email: email.trim() })),
    buyerInfo: cart.buyerInfo,
    totalAmount: toDollars(cart.total),
  };
}
