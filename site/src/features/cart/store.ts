// The cart's one holder in a page: restores it, saves every change, and follows what other tabs save.
// Hides local storage; works without it, for the length of the visit.
import { changeCart, emptyCart, type Cart, type CartAction } from "./model.ts";
import { CART_KEY, FORGET_DETAILS, OWNER_KEY, parseCart } from "./saved-cart.ts";

export interface CartStore {
  get: () => Cart;
  /** The user whose names and addresses are in the cart, as far as that is known. */
  owner: () => string | undefined;
  /** The cart is this user's from now on: what another one had typed is forgotten. */
  claim: (userId: string) => void;
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
  let cart = restore(read(storage, CART_KEY));
  let owner = read(storage, OWNER_KEY) ?? undefined;

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
    if (event.key === OWNER_KEY || event.key === null) owner = event.newValue ?? undefined;
  }

  function dispatch(action: CartAction) {
    change(changeCart(cart, action));
    save(storage, CART_KEY, JSON.stringify(cart));
  }

  function onForget() {
    owner = undefined;
    dispatch({ type: "forget-details" });
  }

  return {
    get: () => cart,
    dispatch,
    owner: () => owner,
    claim(userId) {
      if (owner === userId) return;
      const former = owner;
      owner = userId;
      save(storage, OWNER_KEY, userId);
      if (former !== undefined) dispatch({ type: "forget-details" });
    },
    subscribe(listener) {
      if (listeners.size === 0) {
        globalThis.addEventListener?.("storage", onStorage);
        globalThis.addEventListener?.(FORGET_DETAILS, onForget);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        globalThis.removeEventListener?.("storage", onStorage);
        globalThis.removeEventListener?.(FORGET_DETAILS, onForget);
      };
    },
  };
}

function read(storage: Surroundings["storage"], key: string): string | null | undefined {
  try {
    return storage?.getItem(key);
  } catch {
    return undefined; // refused by the browser
  }
}

function save(storage: Surroundings["storage"], key: string, text: string): void {
  try {
    storage?.setItem(key, text);
  } catch {
    // Full or refused: the cart lives as long as the page.
  }
}
