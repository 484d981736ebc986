// The rules of checkout (PRODUCT 6), pure.
import { formatCents, toCents, toDollars, type Cents } from "contract/shop/money";
import { checkoutDetailsSchema, type CheckoutDetails, type CreatePaymentIntent } from "contract/schemas";

export type CheckoutStep = "attendees" | "payment" | "confirmation";

export const stepNames = ["Attendee Info", "Payment", "Confirmation"] as const;

export interface CheckoutItem {
  id: string;
  name: string;
  /** Dollars. */
  price: number;
  quantity: number;
  type: string;
}

/** A ticket of the cart, and its attendee if known. */
export interface TicketSeat {
  ticketTypeId: string;
  ticketName: string;
  /** Its place among the tickets of its type, from 0. */
  position: number;
  name: string;
  email: string;
}

/** Whether the cart's total matches what the server would charge, which requires a known promo code and fee. */
export type Pricing =
  | { state: "known" }
  | { state: "checking" | "unknown"; message: string | undefined; retry: () => void };

export type FinishedPayment = "confirmed" | "unconfirmed" | "refunded";

/** How a payment ended, and the details the confirmation shows. */
export interface Finished {
  result: FinishedPayment;
  orderId?: string;
  /** Where the tickets are sent. */
  email?: string;
  /** Why the payment is refunded: confirm_order's reason. */
  reason?: string;
  /** Another cart was filled while this one was paid, and is not part of the order. */
  isCartLeft?: boolean;
}

/** What checkout needs of the cart; the route provides it. */
export interface CheckoutCart {
  items: readonly CheckoutItem[];
  seats: readonly TicketSeat[];
  buyerInfo: CheckoutDetails["buyer"];
  /** To be paid. */
  total: Cents;
  /** The code sent with the order. `total` already has its discount subtracted. */
  promoCode?: string | undefined;
  ticketCount: number;
  /** How often another tab has changed the cart's contents. */
  changedElsewhere: number;
  /** How often another tab has changed the buyer or the attendees. */
  typedElsewhere: number;
  /** Keeps the seats whose name and email are both filled. */
  setAttendees: (seats: readonly Omit<TicketSeat, "ticketName">[]) => void;
  mergeBuyer: (buyer: Partial<CheckoutDetails["buyer"]>) => void;
  setQuantity: (id: string, quantity: number) => void;
  /** Takes an order's units out of the cart, with the attendees who have their tickets now. */
  takeBought: (bought: readonly Pick<CheckoutItem, "id" | "quantity">[]) => void;
  setPromoCode: (code: string | undefined) => void;
  clear: () => void;
  /** The cart as it is when called, for work that outlasts a render. */
  current: () => Pick<CheckoutCart, "items" | "seats" | "buyerInfo">;
}

/** The seats with the form's entries for each, in the same order. */
export function seatsWith(
  seats: readonly TicketSeat[],
  entries: readonly { name?: string | undefined; email?: string | undefined }[],
): TicketSeat[] {
  return seats.map((seat, index) => ({
    ...seat,
    name: entries[index]?.name ?? "",
    email: entries[index]?.email ?? "",
  }));
}

/** "General Admission is now $50.00 instead of $45.00.", one sentence for each changed price. */
export function priceChanges(
  before: readonly Pick<CheckoutItem, "id" | "price">[],
  now: readonly Pick<CheckoutItem, "id" | "name" | "price">[],
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

/**
 * The total of a remembered request (its fingerprint) that is otherwise the cart's: an order keeps the fee it was placed with.
 * Undefined when anything else differs.
 */
export function rememberedTotal(
  fingerprint: string,
  cart: Pick<CheckoutCart, "items" | "seats" | "buyerInfo" | "promoCode">,
): Cents | undefined {
  const total = toCents((JSON.parse(fingerprint) as ReturnType<typeof orderRequest>).totalAmount);
  return JSON.stringify(orderRequest({ ...cart, total })) === fingerprint ? total : undefined;
}

/** What a remembered request (its fingerprint) buys. */
export function requestedItems(fingerprint: string): readonly CheckoutItem[] {
  return (JSON.parse(fingerprint) as ReturnType<typeof orderRequest>).items;
}

/** The buyer and the attendees of a remembered request (its fingerprint), on these seats; undefined if it is for others. */
export function rememberedDetails(
  fingerprint: string,
  seats: readonly TicketSeat[],
): Pick<CheckoutCart, "buyerInfo" | "seats"> | undefined {
  const { buyerInfo, attendees } = JSON.parse(fingerprint) as ReturnType<typeof orderRequest>;
  const isForSeats =
    attendees.length === seats.length &&
    seats.every(({ ticketTypeId }, index) => ticketTypeId === attendees[index]?.ticketTypeId);
  return isForSeats ? { buyerInfo, seats: seatsWith(seats, attendees) } : undefined;
}

/** Whether a remembered request (its fingerprint) has the cart's items and attendees, at whatever price. */
export function isForCart(
  fingerprint: string,
  cart: Pick<CheckoutCart, "items" | "seats" | "buyerInfo">,
): boolean {
  const before = JSON.parse(fingerprint) as ReturnType<typeof orderRequest>;
  const basket = ({ items, attendees, buyerInfo }: ReturnType<typeof orderRequest>) =>
    JSON.stringify([items, attendees, buyerInfo]);
  return basket(before) === basket(orderRequest({ ...cart, total: 0 }));
}
