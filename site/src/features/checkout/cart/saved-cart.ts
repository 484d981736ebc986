// The record in the browser's storage, checked by hand: every page may load this, so it uses no schema library.
import { toCents } from "contract/shop/money";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import { withoutDetails, withParking } from "./model.ts";
import {
  emptyCart,
  type Attendee,
  type Cart,
  type CartItem,
  type Details,
  type Order,
  type Paid,
} from "./record.ts";

export const CART_KEY = "houston-culture-festival:cart";

/** Dispatched on this page's window to forget details and order. */
export const FORGET_DETAILS = "houston-culture-festival:forget-details";

/** Removes what the buyer typed and ordered from the saved cart, which other tabs follow, and from this page's. */
export function forgetDetails(): { order: Order | undefined } {
  const saved = savedCart();
  dispatchEvent(new Event(FORGET_DETAILS));
  // Corrupt, so nothing in it is usable.
  writeText("local", CART_KEY, saved && JSON.stringify(withoutDetails(saved)));
  return { order: saved?.order };
}

function savedCart(): Cart | undefined {
  try {
    const text = readText("local", CART_KEY);
    return text === undefined ? undefined : parseCart(text);
  } catch {
    return undefined;
  }
}

/** @throws Error when the text is not a cart written by this site. */
export function parseCart(text: string): Cart {
  const cart: unknown = JSON.parse(text);
  if (!isRecord(cart) || !Array.isArray(cart.items) || !cart.items.every(isItem))
    throw new Error("The saved cart is corrupt");
  const saved = {
    items: cart.items,
    ...detailsOf(cart),
    vipIncludesParking: cart.vipIncludesParking !== false,
    ...textsOf(cart, "promoCode", "owner", "key"),
    ...(isItem(cart.replacedParking) && { replacedParking: cart.replacedParking }),
    ...(isRecord(cart.agreed) && { agreed: detailsOf(cart.agreed) }),
    ...(isOrder(cart.order) && { order: cart.order }),
    ...(isPaid(cart.paid) && { paid: cart.paid }),
  };
  // Another program may have saved VIP together with paid parking.
  return withParking(saved, saved.items);
}

function detailsOf({ attendees, buyerInfo }: Record<string, unknown>): Details {
  return {
    buyerInfo: {
      ...emptyCart.buyerInfo,
      ...(isRecord(buyerInfo) && textsOf(buyerInfo, "name", "email", "phone")),
    },
    attendees: Array.isArray(attendees) ? attendees.flatMap(attendeeOf) : [],
  };
}

/** Those of its fields that are text. */
function textsOf<Key extends string>(
  record: Record<string, unknown>,
  ...keys: Key[]
): { [key in Key]?: string } {
  return Object.fromEntries(
    keys.flatMap((key) => (typeof record[key] === "string" ? [[key, record[key]]] : [])),
  ) as {
    [key in Key]?: string;
  };
}

function hasTexts(value: unknown, ...keys: string[]): value is Record<string, unknown> {
  return isRecord(value) && keys.every((key) => typeof value[key] === "string");
}

function isOrder(value: unknown): value is Order {
  return (
    hasTexts(value, "orderId", "key", "heldUntil", "email") &&
    typeof value.total === "number" &&
    Array.isArray(value.items) &&
    value.items.every((item) => hasTexts(item, "id") && typeof item.quantity === "number") &&
    (value.clientSecret === undefined || typeof value.clientSecret === "string")
  );
}

const isPaid = (value: unknown): value is Paid =>
  hasTexts(value, "orderId", "email", "result") &&
  ["confirmed", "unconfirmed", "refunded"].includes(value.result as string);

function isItem(value: unknown): value is CartItem {
  return (
    isRecord(value) &&
    typeof value.id === "string" &&
    typeof value.name === "string" &&
    isPrice(value.price) &&
    Number.isInteger(value.quantity) &&
    (value.quantity as number) > 0 &&
    typeof value.type === "string"
  );
}

function isPrice(value: unknown): value is number {
  try {
    return typeof value === "number" && toCents(value) >= 0;
  } catch {
    return false;
  }
}

function attendeeOf(value: unknown): Attendee[] {
  if (!isRecord(value)) return [];
  const { name, email, ticketTypeId, position } = value;
  if (typeof name !== "string" || typeof email !== "string") return [];
  if (typeof ticketTypeId !== "string") return [{ name, email }];
  return [{ name, email, ticketTypeId, ...(Number.isInteger(position) && { position: position as number }) }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
