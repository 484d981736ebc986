// The cart's one holder in a page: restores it, saves every change, and follows what other tabs save.
// Hides local storage; works without it, for the length of the visit.
import { changeCart, emptyCart, type Cart, type CartAction } from "./model.ts";
import { CART_KEY, parseCart } from "./saved-cart.ts";

export interface CartStore {
  get: () => Cart;
  dispatch: (action: CartAction) => void;
  subscribe: (listener: () => void) => () => void;
}

interface Surroundings {
  storage: Pick<Storage, "getItem" | "setItem"> | undefined;
  /** Told of a saved cart that could not be read. */
  onCorrupt: (error: unknown) => void;
}

export function createCartStore({ storage, onCorrupt }: Surroundings): CartStore {
  const listeners = new Set<() => void>();
  let cart = restore(read(storage));

  function restore(text: string | null | undefined): Cart {
    if (!text) return emptyCart;
    try {
      return parseCart(text);
    } catch (error) {
      onCorrupt(error);
      return emptyCart;
    }
  }

  function change(next: Cart) {
    cart = next;
    for (const listener of listeners) listener();
  }

  // Storage events come only from other tabs. A null key means that everything was cleared.
  function onStorage(event: StorageEvent) {
    if (event.key === CART_KEY || event.key === null) change(restore(event.newValue));
  }

  return {
    get: () => cart,
    dispatch(action) {
      change(changeCart(cart, action));
      save(storage, cart);
    },
    subscribe(listener) {
      if (listeners.size === 0) globalThis.addEventListener?.("storage", onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) globalThis.removeEventListener?.("storage", onStorage);
      };
    },
  };
}

function read(storage: Surroundings["storage"]): string | null | undefined {
  try {
    return storage?.getItem(CART_KEY);
  } catch {
    return undefined; // refused by the browser
  }
}

function save(storage: Surroundings["storage"], cart: Cart): void {
  try {
    storage?.setItem(CART_KEY, JSON.stringify(cart));
  } catch {
    // Full or refused: the cart lives as long as the page.
  }
}
