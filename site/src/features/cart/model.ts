// The cart's rules (specification 000, sections 3 and 4), pure. Prices are dollars as the catalogue says them;
// sums are cents.
import { lineTotal, type Cents } from "contract/money";

export interface CartItem {
  id: string;
  /** Ticket name, or the parking pass' type name. */
  name: string;
  price: number;
  quantity: number;
  type: "ticket" | "parking";
  /** The record it was made from. */
  itemData: unknown;
}

export interface Attendee {
  name: string;
  email: string;
}

export interface BuyerInfo {
  name: string;
  email: string;
  phone: string;
}

export interface Cart {
  items: readonly CartItem[];
  attendees: readonly Attendee[];
  buyerInfo: BuyerInfo;
}

export const emptyCart: Cart = { items: [], attendees: [], buyerInfo: { name: "", email: "", phone: "" } };

export type CartAction =
  | { type: "add"; item: CartItem }
  | { type: "set-quantity"; id: string; quantity: number }
  | { type: "remove"; id: string }
  | { type: "set-attendees"; attendees: readonly Attendee[] }
  | { type: "merge-buyer"; buyerInfo: Partial<BuyerInfo> }
  | { type: "clear" }
  | { type: "load"; cart: Cart };

/** Adding what is there already replaces its quantity; a quantity of zero or less removes the item. */
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
    case "set-attendees":
      return { ...cart, attendees: action.attendees };
    case "merge-buyer":
      return { ...cart, buyerInfo: { ...cart.buyerInfo, ...action.buyerInfo } };
    case "clear":
      return emptyCart;
    case "load":
      return action.cart;
  }
}

export function cartTotal({ items }: Pick<Cart, "items">): Cents {
  return items.reduce((sum, item) => sum + lineTotal(item.price, item.quantity), 0);
}

export function ticketCount({ items }: Pick<Cart, "items">): number {
  return items.reduce((sum, item) => sum + (item.type === "ticket" ? item.quantity : 0), 0);
}

export function hasVip({ items }: Pick<Cart, "items">): boolean {
  return items.some((item) => item.type === "ticket" && item.name.toLowerCase().includes("vip"));
}

function put(items: readonly CartItem[], added: CartItem): readonly CartItem[] {
  if (added.quantity <= 0) return items.filter((item) => item.id !== added.id);
  const known = items.some((item) => item.id === added.id);
  return known ? items.map((item) => (item.id === added.id ? added : item)) : [...items, added];
}

/** VIP includes general parking, so a paid one does not stay beside it (rulings: Orders and tickets). */
function withItems(cart: Cart, items: readonly CartItem[]): Cart {
  const kept = hasVip({ items })
    ? items.filter((item) => item.type !== "parking" || !item.name.toLowerCase().includes("general"))
    : items;
  return { ...cart, items: kept };
}
