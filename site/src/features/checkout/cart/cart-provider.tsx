// Provides the cart. It is empty while a prerendered page hydrates, and filled from storage right after.
import { createContext, use, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { cartTotal, hasVip, parkingIncluded, ticketCount, withoutDetails, type CartAction } from "./model.ts";
import { emptyCart, type Cart } from "./record.ts";
import { seatsOf, type Seat } from "./seats.ts";
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
  /** How often another tab has changed the cart's items. */
  changedElsewhere: number;
  /** How often another tab has changed the buyer or the attendees. */
  typedElsewhere: number;
  hasVip: boolean;
  /** It contains VIP, which includes a general parking pass. */
  parkingIncluded: boolean;
  /** One for each ticket, with its attendee if known. */
  seats: readonly Seat[];
  /** Tickets are held for this user. */
  isHeld: boolean;
  change: (action: CartAction) => void;
  /** The record as it is when called, for work that outlasts a render. */
  current: () => Cart;
}

/**
 * With a user, hides what another user typed, even before `useCartClaim` has deleted it.
 * @throws Error outside a CartProvider
 */
export function useCart(userId?: string): CartAccess {
  const store = useStore();
  const saved = useSyncExternalStore(store.subscribe, store.get, () => emptyCart);
  const isOthers = userId !== undefined && saved.owner !== undefined && saved.owner !== userId;
  const cart = isOthers ? withoutDetails(saved) : saved;
  return {
    ...cart,
    total: cartTotal(cart),
    ticketCount: ticketCount(cart),
    changedElsewhere: store.changedElsewhere(),
    typedElsewhere: store.typedElsewhere(),
    hasVip: hasVip(cart),
    parkingIncluded: parkingIncluded(cart),
    seats: seatsOf(cart.items, cart.attendees),
    isHeld: cart.order !== undefined && Date.parse(cart.order.heldUntil) > serverNow(),
    change: store.dispatch,
    current: store.get,
  };
}

/** Makes the signed-in user the cart's owner. Call it once, near the provider. */
export function useCartClaim(userId: string | undefined): void {
  const store = useStore();
  useEffect(() => {
    if (userId && store.get().owner !== userId) store.dispatch({ type: "claim", userId });
  }, [store, userId]);
}

function useStore(): CartStore {
  const store = use(CartContext);
  if (!store) throw new Error("useCart must be used within a CartProvider");
  return store;
}
