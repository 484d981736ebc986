// A page's cart store: restores the cart, saves every change, and follows what other tabs save. Without local storage it
// works until the page closes.
import { changeCart, emptyCart, type Cart, type CartAction } from "./model.ts";
import { CART_KEY, FORGET_DETAILS, OWNER_KEY, parseCart } from "./saved-cart.ts";

export interface CartStore {
  get: () => Cart;
  /** The user who typed the names and addresses, if known. */
  owner: () => string | undefined;
  /** How often another tab has changed the cart's contents. */
  changedElsewhere: () => number;
  /** How often another tab has changed the buyer or the attendees. */
  typedElsewhere: () => number;
  /** Makes this user the owner, and forgets what another one typed. */
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
  const savedCart = savedText(storage, CART_KEY);
  const savedOwner = savedText(storage, OWNER_KEY);
  let cart = restore(savedCart.get(), onCorrupt);
  let changedElsewhere = 0;
  let typedElsewhere = 0;
  let owner = savedOwner.get() ?? undefined;

  function change(next: Cart) {
    cart = next;
    for (const listener of listeners) listener();
  }

  function followOtherTabs() {
    if (savedOwner.hasChanged()) owner = savedOwner.get() ?? undefined;
    if (!savedCart.hasChanged()) return;
    const next = restore(savedCart.get(), onCorrupt);
    if (contents(next) !== contents(cart)) changedElsewhere++;
    if (details(next) !== details(cart)) typedElsewhere++;
    change(next);
  }

  function dispatch(action: CartAction) {
    followOtherTabs();
    change(changeCart(cart, action));
    savedCart.set(JSON.stringify(cart));
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
    typedElsewhere: () => typedElsewhere,
    claim(userId) {
      if (owner === userId) return;
      const former = owner;
      owner = userId;
      savedOwner.set(userId);
      if (former !== undefined) dispatch({ type: "forget-details" });
    },
    subscribe(listener) {
      if (listeners.size === 0) {
        // A page receives no storage events before it listens, nor while it is in the back/forward cache.
        globalThis.addEventListener?.("storage", followOtherTabs);
        globalThis.addEventListener?.("pageshow", followOtherTabs);
        globalThis.addEventListener?.(FORGET_DETAILS, onForget);
        followOtherTabs();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        globalThis.removeEventListener?.("storage", followOtherTabs);
        globalThis.removeEventListener?.("pageshow", followOtherTabs);
        globalThis.removeEventListener?.(FORGET_DETAILS, onForget);
      };
    },
  };
}

/** Which items, how many and at what price, without their attendees. */
const contents = ({ items }: Cart) =>
  JSON.stringify(items.map(({ id, quantity, price }) => [id, quantity, price]));

const details = ({ buyerInfo, attendees }: Cart) => JSON.stringify([buyerInfo, attendees]);

function restore(text: string | null | undefined, onCorrupt: Surroundings["onCorrupt"]): Cart {
  if (!text) return emptyCart;
  try {
    return parseCart(text);
  } catch (error) {
    onCorrupt(error);
    return emptyCart;
  }
}

/** One storage entry, as this tab last read or wrote it. */
function savedText(storage: Surroundings["storage"], key: string) {
  let known = read();

  function read(): string | null | undefined {
    try {
      return storage?.getItem(key);
    } catch {
      return undefined; // blocked by the browser
    }
  }

  return {
    get: () => known,
    /** Whether another tab has written since. */
    hasChanged(): boolean {
      const text = read();
      if (text === undefined || text === known) return false;
      known = text;
      return true;
    },
    set(text: string): void {
      try {
        storage?.setItem(key, text);
      } catch {
        // Storage is full or blocked: the cart lasts as long as the page.
      }
      // A storage may refuse without an error. What it does not have must not read as removed by another tab.
      if (read() === text) known = text;
    },
  };
}
