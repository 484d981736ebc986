// Provides the cart. It is empty while a prerendered page hydrates, and filled from storage right after.
import {
  createContext,
  use,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { logError } from "#lib/browser/error-log.ts";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import type { CartItem } from "./items.ts";
import {
  cartTotal,
  changeCart,
  emptyCart,
  hasVip,
  parkingIncluded,
  ticketCount,
  type BuyerInfo,
  type Cart,
} from "./model.ts";
import { filledSeats, seatsOf, type Seat } from "./seats.ts";
import { createCartStore, type CartStore } from "./store.ts";

const CartContext = createContext<CartStore | undefined>(undefined);

export function CartProvider({ children }: { children: ReactNode }) {
  const [store] = useState(() =>
    createCartStore({
      storage: {
        getItem: (key) => readText("local", key) ?? null,
        setItem: (key, text) => writeText("local", key, text),
      },
      onCorrupt: (error) => logError("restore the cart", error),
    }),
  );
  return <CartContext value={store}>{children}</CartContext>;
}

export interface CartAccess extends Cart {
  /** Cents. */
  total: number;
  ticketCount: number;
  /** How often another tab has changed the cart's contents. */
  changedElsewhere: number;
  /** How often another tab has changed the buyer or the attendees. */
  typedElsewhere: number;
  hasVip: boolean;
  /** It contains VIP, which includes a general parking pass. */
  parkingIncluded: boolean;
  /** One for each ticket, with its attendee if known. */
  seats: readonly Seat[];
  addItem: (item: CartItem) => void;
  setQuantity: (id: string, quantity: number) => void;
  removeItem: (id: string) => void;
  /** Takes an order's units out of the cart, with the attendees who have their tickets now. */
  takeBought: (bought: readonly Pick<CartItem, "id" | "quantity">[]) => void;
  /** Keeps the seats whose name and email are both filled. */
  setAttendees: (seats: readonly Omit<Seat, "ticketName">[]) => void;
  mergeBuyer: (buyerInfo: Partial<BuyerInfo>) => void;
  setVipParking: (included: boolean) => void;
  setPromoCode: (code: string | undefined) => void;
  load: (cart: Omit<Cart, "replacedParking">) => void;
  clear: () => void;
  /** The cart as it is when called, for work that outlasts a render. */
  current: () => Pick<CartAccess, "items" | "seats" | "buyerInfo">;
}

/**
 * With a user, hides what another user typed, even before `useCartClaim` has deleted it.
 * @throws Error outside a CartProvider
 */
export function useCart(userId?: string): CartAccess {
  const store = useStore();
  const saved = useSyncExternalStore(store.subscribe, store.get, () => emptyCart);
  const owner = store.owner();
  const cart = userId && owner && owner !== userId ? changeCart(saved, { type: "forget-details" }) : saved;
  const actions = useMemo(() => actionsOf(store), [store]);
  return {
    ...cart,
    ...actions,
    total: cartTotal(cart),
    ticketCount: ticketCount(cart),
    changedElsewhere: store.changedElsewhere(),
    typedElsewhere: store.typedElsewhere(),
    hasVip: hasVip(cart),
    parkingIncluded: parkingIncluded(cart),
    seats: seatsOf(cart.items, cart.attendees),
  };
}

/** Makes the signed-in user the cart's owner. Call it once, near the provider. */
export function useCartClaim(userId: string | undefined): void {
  const store = useStore();
  useEffect(() => {
    if (userId) store.claim(userId);
  }, [store, userId]);
}

function useStore(): CartStore {
  const store = use(CartContext);
  if (!store) throw new Error("useCart must be used within a CartProvider");
  return store;
}

function actionsOf({ dispatch, get }: CartStore) {
  return {
    addItem: (item: CartItem) => dispatch({ type: "add", item }),
    setQuantity: (id: string, quantity: number) => dispatch({ type: "set-quantity", id, quantity }),
    removeItem: (id: string) => dispatch({ type: "remove", id }),
    takeBought: (bought: readonly Pick<CartItem, "id" | "quantity">[]) =>
      dispatch({ type: "take-bought", bought }),
    setAttendees: (seats: readonly Omit<Seat, "ticketName">[]) =>
      dispatch({ type: "set-attendees", attendees: filledSeats(seats) }),
    mergeBuyer: (buyerInfo: Partial<BuyerInfo>) => dispatch({ type: "merge-buyer", buyerInfo }),
    setVipParking: (included: boolean) => dispatch({ type: "set-vip-parking", included }),
    setPromoCode: (code: string | undefined) => dispatch({ type: "set-promo-code", code }),
    load: (cart: Omit<Cart, "replacedParking">) => dispatch({ type: "load", cart }),
    clear: () => dispatch({ type: "clear" }),
    current: () => {
      const { items, attendees, buyerInfo } = get();
      return { items, buyerInfo, seats: seatsOf(items, attendees) };
    },
  };
}
