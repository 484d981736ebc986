// The cart's rules (PRODUCT 5), pure. Prices are dollars, as in the catalogue;
// sums are cents.
import { lineTotal, type Cents } from "contract/shop/money";
import type { Attendee, CartItem } from "./items.ts";
import { filledSeats, seatsOf } from "./seats.ts";

export interface BuyerInfo {
  name: string;
  email: string;
  phone: string;
}

export interface Cart {
  items: readonly CartItem[];
  attendees: readonly Attendee[];
  buyerInfo: BuyerInfo;
  /** The shop's setting, as last read. */
  vipIncludesParking: boolean;
  /** As the buyer typed it. The server decides whether it is valid. */
  promoCode?: string | undefined;
  /** The paid general pass that VIP replaced. It comes back when VIP is removed. */
  replacedParking?: CartItem | undefined;
}

export const emptyCart: Cart = {
  items: [],
  attendees: [],
  buyerInfo: { name: "", email: "", phone: "" },
  vipIncludesParking: true,
};

export type CartAction =
  | { type: "add"; item: CartItem }
  | { type: "set-quantity"; id: string; quantity: number }
  | { type: "remove"; id: string }
  | { type: "take-bought"; bought: readonly Pick<CartItem, "id" | "quantity">[] }
  | { type: "set-attendees"; attendees: readonly Attendee[] }
  | { type: "merge-buyer"; buyerInfo: Partial<BuyerInfo> }
  | { type: "set-vip-parking"; included: boolean }
  | { type: "set-promo-code"; code: string | undefined }
  | { type: "forget-details" }
  | { type: "clear" }
  | { type: "load"; cart: Cart };

/** Adding an item again replaces its quantity; a quantity of zero or less removes it. */
export function changeCart(cart: Cart, action: CartAction): Cart {
  switch (action.type) {
    case "add":
      return withItems(cart, put(cart.items, action.item));
    case "set-quantity":
      return withItems(
        cart,
        cart.items.flatMap((item) => {
          if (item.id !== action.id) return [item];
          return action.quantity > 0 ? [{ ...item, quantity: action.quantity }] : [];
        }),
      );
    case "remove":
      return withItems(
        cart,
        cart.items.filter((item) => item.id !== action.id),
      );
    case "take-bought":
      return withoutBought(cart, action.bought);
    case "set-attendees":
      return { ...cart, attendees: action.attendees };
    case "merge-buyer":
      return { ...cart, buyerInfo: { ...cart.buyerInfo, ...action.buyerInfo } };
    case "set-vip-parking":
      return withItems({ ...cart, vipIncludesParking: action.included }, cart.items);
    case "set-promo-code": {
      const { promoCode: _before, ...rest } = cart;
      return action.code === undefined ? rest : { ...rest, promoCode: action.code };
    }
    case "forget-details": {
      const { promoCode: _, ...rest } = cart;
      return { ...rest, attendees: [], buyerInfo: emptyCart.buyerInfo };
    }
    case "clear":
      return { ...emptyCart, vipIncludesParking: cart.vipIncludesParking };
    case "load":
      return withItems(action.cart, action.cart.items);
  }
}

export function cartTotal({ items }: Pick<Cart, "items">): Cents {
  return items.reduce((sum, item) => sum + lineTotal(item.price, item.quantity), 0);
}

export function ticketCount({ items }: Pick<Cart, "items">): number {
  return items.reduce((sum, item) => sum + (item.type === "ticket" ? item.quantity : 0), 0);
}

/** The lines of which fewer are left than the cart has. */
export function shortOf<Shortage extends { id: string; available: number }>(
  { items }: Pick<Cart, "items">,
  shortages: readonly Shortage[],
): Shortage[] {
  return shortages.filter(
    ({ id, available }) => available < (items.find((item) => item.id === id)?.quantity ?? 0),
  );
}

export function hasVip({ items }: Pick<Cart, "items">): boolean {
  return items.some((item) => item.type === "ticket" && fact(item, "is_vip", "vip"));
}

export function parkingIncluded(cart: Pick<Cart, "items" | "vipIncludesParking">): boolean {
  return cart.vipIncludesParking && hasVip(cart);
}

/** Of a kind that an order has only one of, it takes the place of another (PRODUCT 5.4). */
function put(items: readonly CartItem[], added: CartItem): readonly CartItem[] {
  if (added.quantity <= 0) return items.filter((item) => item.id !== added.id);
  const known = items.some((item) => item.id === added.id);
  if (known) return items.map((item) => (item.id === added.id ? added : item));
  return [...items.filter((item) => item.type !== added.type || !isOnePerOrder(added)), added];
}

/**
 * What is left of a cart that grew while it was paid. The order has the first tickets of each type, so the later attendees move up.
 * Parking that VIP replaced does not come back, since nobody chose it again.
 */
function withoutBought(cart: Cart, bought: readonly Pick<CartItem, "id" | "quantity">[]): Cart {
  const unitsOf = (id: string) => bought.find((item) => item.id === id)?.quantity ?? 0;
  const items = cart.items
    .map((item) => ({ ...item, quantity: item.quantity - unitsOf(item.id) }))
    .filter(({ quantity }) => quantity > 0);
  const seats = seatsOf(cart.items, cart.attendees)
    .map((seat) => ({ ...seat, position: seat.position - unitsOf(seat.ticketTypeId) }))
    .filter(({ position }) => position >= 0);
  return withItems({ ...cart, attendees: filledSeats(seats), replacedParking: undefined }, items);
}

/** Attendees are removed with their tickets. The others keep their type. */
function withItems(cart: Cart, items: readonly CartItem[]): Cart {
  return withParking({ ...cart, attendees: filledSeats(seatsOf(items, cart.attendees)) }, items);
}

/** VIP includes general parking, so it replaces a paid pass (PRODUCT 5.4). */
export function withParking(cart: Cart, items: readonly CartItem[]): Cart {
  if (parkingIncluded({ ...cart, items })) {
    const paid = items.find(isGeneralParking);
    return paid
      ? { ...cart, items: items.filter((item) => !isGeneralParking(item)), replacedParking: paid }
      : { ...cart, items };
  }
  const { replacedParking, ...rest } = cart;
  const hasParking = items.some(({ type }) => type === "parking");
  return { ...rest, items: replacedParking && !hasParking ? [...items, replacedParking] : items };
}

function isGeneralParking(item: CartItem): boolean {
  return item.type === "parking" && fact(item, "is_general", "general");
}

function isOnePerOrder({ itemData, type }: CartItem): boolean {
  const { product_kinds: kind } = (itemData ?? {}) as { product_kinds?: { one_per_order?: boolean } };
  return kind?.one_per_order ?? type === "parking";
}

/** The row's own column. For an item that another page or program saved without its row, the rule by name (PRODUCT 5.3). */
function fact({ itemData, name }: CartItem, column: "is_vip" | "is_general", word: string): boolean {
  const known = (itemData as Partial<Record<typeof column, unknown>> | null | undefined)?.[column];
  return typeof known === "boolean" ? known : name.toLowerCase().includes(word);
}
