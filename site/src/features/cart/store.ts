// A page's cart store: restores the cart, saves every change, and follows what other tabs save. Without local storage it
// works until the page closes.
import { changeCart, emptyCart, type Cart, type CartAction } from "./model.ts";
import { CART_KEY, FORGET_DETAILS, OWNER_KEY, parseCart } from "./saved-cart.ts";

export interface CartStore {
  get: () => Cart;
  /** The user who typed the names and addresses, if known. */
  owner: () => string | undefined;
  /** How often another tab has changed what is in the cart. */
  changedElsewhere: () => number;
  /** Makes this user the owner; forgets what another one typed. */
  claim: (userId: string) => void;
  dispatch: (action: CartAction) => void;
  subscribe: (listener: () => void) => () => void;
}

interface Surroundings {
  storage: Pick<Storage, "getItem" | "setItem"> | undefined;
  /** Called with the error when a saved cart cannot be read. */
  onCorrupt: (error: unknown) => void;
}

export function createCartStore({ storage, onCorrupt }: Surroundings): CartStore {
  const listeners = new Set<() => void>();
  let cart = restore(read(storage, CART_KEY), onCorrupt);
  let changedElsewhere = 0;
  let owner = read(storage, OWNER_KEY) ?? undefined;

  function change(next: Cart) {
    cart = next;
    for (const listener of listeners) listener();
  }

  // Storage events come only from other tabs. A null key means that everything was cleared.
  function onStorage(event: StorageEvent) {
    if (event.key === CART_KEY || event.key === null) {
      const next = restore(event.newValue, onCorrupt);
      if (contents(next) !== contents(cart)) changedElsewhere++;
      change(next);
    }
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
    changedElsewhere: () => changedElsewhere,
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

/** Which items, how many and at what price: not whom they are for. */
const contents = ({ items }: Cart) =>
  JSON.stringify(items.map(({ id, quantity, price }) => [id, quantity, price]));

function restore(text: string | null | undefined, onCorrupt: Surroundings["onCorrupt"]): Cart {
  if (!text) return emptyCart;
  try {
    return parseCart(text);
  } catch (error) {
    onCorrupt(error);
    return emptyCart;
  }
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
    // Storage is full or blocked: the cart lasts as long as the page.
  }
}
