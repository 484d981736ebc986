// The cart's rules (PRODUCT 5), pure. Prices are dollars, as in the catalog;
// sums are cents.
import { capitalized, listed, type ProductKind } from "contract/shop/kinds";
import { lineTotal, type Cents } from "contract/shop/money";
import {
  emptyCart,
  type Attendee,
  type BuyerInfo,
  type Cart,
  type CartItem,
  type Order,
  type Paid,
} from "./record.ts";
import { filledSeats, seatsOf } from "./seats.ts";

export type CartAction =
  | { type: "add"; item: CartItem }
  | { type: "set-quantity"; id: string; quantity: number }
  | { type: "remove"; id: string }
  | { type: "set-attendees"; attendees: readonly Attendee[] }
  | { type: "merge-buyer"; buyerInfo: Partial<BuyerInfo> }
  | { type: "set-vip-parking"; included: boolean }
  | { type: "set-promo-code"; code: string | undefined }
  /** The tickets are for the people whose names are typed now. */
  | { type: "agree" }
  | { type: "set-order"; order: Order | undefined }
  | { type: "release-order" }
  /** The order of this key has ended. Another tab may have renewed it already. */
  | { type: "renew-key"; key: string | undefined }
  /** Fills the cart from an order that was placed before, perhaps in another browser. */
  | { type: "resume"; cart: Cart; order: Order }
  | { type: "paid"; paid: Omit<Paid, "isCartLeft"> }
  | { type: "claim"; userId: string }
  | { type: "forget-details" };

export function changeCart(cart: Cart, action: CartAction, newKey: () => string = randomKey): Cart {
  const next = changed(cart, action);
  if (action.type === "resume") return next;
  const hasEnded =
    action.type === "renew-key"
      ? action.key === cart.key
      : action.type !== "set-order" && cart.order !== undefined && next.order === undefined;
  return hasEnded || contents(next) !== contents(cart) ? { ...next, key: newKey() } : next;
}

/** What an order of this cart would contain. */
const contents = ({ items, promoCode, agreed }: Cart) =>
  JSON.stringify([items.map(({ id, quantity, price }) => [id, quantity, price]), promoCode, agreed]);

/** Not randomUUID, which is missing on pages served over plain HTTP. */
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Adding an item again replaces its quantity; a quantity of zero or less removes it. */
function changed(cart: Cart, action: CartAction): Cart {
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
    case "set-vip-parking":
      return withItems({ ...cart, vipIncludesParking: action.included }, cart.items);
    case "set-promo-code": {
      const { promoCode: _before, ...rest } = cart;
      return action.code === undefined ? rest : { ...rest, promoCode: action.code };
    }
    case "agree":
      return withItems(
        { ...cart, agreed: { buyerInfo: cart.buyerInfo, attendees: cart.attendees } },
        cart.items,
      );
    case "set-order":
      return { ...cart, order: action.order };
    case "release-order":
      return { ...cart, order: undefined };
    case "renew-key":
      return cart;
    case "resume": {
      const { cart: before, order } = action;
      // What this browser knows of the payment already.
      const known = cart.order?.orderId === order.orderId ? cart.order : undefined;
      const { buyerInfo, attendees } = before;
      const agreed = { buyerInfo, attendees };
      return withItems(
        { ...before, owner: cart.owner, agreed, key: order.key, order: { ...known, ...order } },
        before.items,
      );
    }
    case "paid":
      return withoutOrder(cart, action.paid);
    case "claim": {
      const isOthers = cart.owner !== undefined && cart.owner !== action.userId;
      return { ...(isOthers ? withoutDetails(cart) : cart), owner: action.userId };
    }
    case "forget-details":
      return withoutDetails(cart);
  }
}

/** What is left for the next user of this browser. */
export function withoutDetails({ items, vipIncludesParking, replacedParking }: Cart): Cart {
  return { ...emptyCart, items, vipIncludesParking, ...(replacedParking && { replacedParking }) };
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

/** What is left once an order has ended. What the buyer began or added meanwhile, also in another tab, stays. */
function withoutOrder(cart: Cart, paid: Paid): Cart {
  const { order, vipIncludesParking, owner } = cart;
  if (order?.orderId !== paid.orderId) return { ...cart, paid };
  if (paid.result === "refunded") return { ...cart, order: undefined, paid };
  const left = withoutBought(cart, order.items);
  return left.items.length > 0
    ? { ...left, order: undefined, paid: { ...paid, isCartLeft: true } }
    : { ...emptyCart, vipIncludesParking, owner, paid };
}

/**
 * The order has the first tickets of each type, so the later attendees move up. Parking that VIP replaced does not come back, since
 * nobody chose it again.
 */
function withoutBought(cart: Cart, bought: Order["items"]): Cart {
  const unitsOf = (id: string) => bought.find((item) => item.id === id)?.quantity ?? 0;
  const items = cart.items
    .map((item) => ({ ...item, quantity: item.quantity - unitsOf(item.id) }))
    .filter(({ quantity }) => quantity > 0);
  const seats = seatsOf(cart.items, cart.attendees)
    .map((seat) => ({ ...seat, position: seat.position - unitsOf(seat.ticketTypeId) }))
    .filter(({ position }) => position >= 0);
  return withItems(
    { ...cart, attendees: filledSeats(seats), agreed: undefined, replacedParking: undefined },
    items,
  );
}

/** Attendees are removed with their tickets. The others keep their type. */
function withItems(cart: Cart, items: readonly CartItem[]): Cart {
  const seated = (attendees: readonly Attendee[]) => filledSeats(seatsOf(items, attendees));
  const agreed = cart.agreed && { ...cart.agreed, attendees: seated(cart.agreed.attendees) };
  return withParking({ ...cart, attendees: seated(cart.attendees), agreed }, items);
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

const isOnePerOrder = (item: CartItem): boolean => kindOf(item)?.one_per_order ?? item.type === "parking";

/** Unknown of an item that another page or program saved without its row. */
const kindOf = ({ itemData }: CartItem) =>
  (itemData as { product_kinds?: Partial<ProductKind> } | null | undefined)?.product_kinds;

/** What a cart without a ticket needs: "Parking and camping are sold together with tickets. …" */
export function ticketWanted(items: readonly CartItem[]): string {
  const titles = new Set(items.map((item) => (kindOf(item)?.title ?? item.type).toLowerCase()));
  const sold = `${capitalized(listed([...titles]))} ${titles.size > 1 ? "are" : "is"} sold together with tickets. `;
  return `${titles.size > 0 ? sold : ""}Choose at least one ticket.`;
}

/** The row's own column. For an item that another page or program saved without its row, the rule by name (PRODUCT 5.3). */
function fact({ itemData, name }: CartItem, column: "is_vip" | "is_general", word: string): boolean {
  const known = (itemData as Partial<Record<typeof column, unknown>> | null | undefined)?.[column];
  return typeof known === "boolean" ? known : name.toLowerCase().includes(word);
}
