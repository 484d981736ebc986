// The cart in the browser's storage, checked by hand: every page may load this, so it uses no schema library.
import { toCents } from "contract/shop/money";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import type { Attendee, CartItem } from "./items.ts";
import { changeCart, emptyCart, withParking, type BuyerInfo, type Cart } from "./model.ts";

export const CART_KEY = "houston-culture-festival:cart";

/** The user who typed the names and addresses in the cart. */
export const OWNER_KEY = "houston-culture-festival:cart-owner";

/** Dispatched on this page's window to forget buyer and attendees. */
export const FORGET_DETAILS = "houston-culture-festival:forget-details";

/** Removes buyer and attendees from the saved cart, which other tabs follow, and from this page's. */
export function forgetDetails(): void {
  dispatchEvent(new Event(FORGET_DETAILS));
  writeText("local", OWNER_KEY, undefined);
  const text = readText("local", CART_KEY);
  if (text === undefined) return;
  let left: string | undefined;
  try {
    left = JSON.stringify(changeCart(parseCart(text), { type: "forget-details" }));
  } catch {
    left = undefined; // corrupt, so nothing in it is usable
  }
  writeText("local", CART_KEY, left);
}

/** @throws Error when the text is not a cart written by this site. */
export function parseCart(text: string): Cart {
  const cart: unknown = JSON.parse(text);
  if (!isRecord(cart) || !Array.isArray(cart.items) || !cart.items.every(isItem))
    throw new Error("The saved cart is corrupt");
  const attendees = Array.isArray(cart.attendees) ? cart.attendees.flatMap(attendeeOf) : [];
  const buyerInfo = isRecord(cart.buyerInfo) ? cart.buyerInfo : {};
  const saved = {
    items: cart.items,
    attendees,
    buyerInfo: { ...emptyCart.buyerInfo, ...textsOf(buyerInfo) },
    vipIncludesParking: cart.vipIncludesParking !== false,
    ...(typeof cart.promoCode === "string" && { promoCode: cart.promoCode }),
    ...(isItem(cart.replacedParking) && { replacedParking: cart.replacedParking }),
  };
  // Another program may have saved VIP together with paid parking.
  return withParking(saved, saved.items);
}

function textsOf(record: Record<string, unknown>): Partial<BuyerInfo> {
  const known = ["name", "email", "phone"] as const;
  return Object.fromEntries(
    known.flatMap((key) => (typeof record[key] === "string" ? [[key, record[key]]] : [])),
  );
}

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
