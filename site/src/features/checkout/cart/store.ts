// A page's cart store: restores the record, saves every change, and follows what other tabs save. Without local storage it
// works until the page closes.
import { changeCart, type CartAction } from "./model.ts";
import { emptyCart, type Cart } from "./record.ts";
import { CART_KEY, FORGET_DETAILS, parseCart } from "./saved-cart.ts";

export interface CartStore {
  get: () => Cart;
  /** How often another tab has changed the cart's items. */
  changedElsewhere: () => number;
  /** How often another tab has changed the buyer or the attendees. */
  typedElsewhere: () => number;
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
  /** As this tab last read or wrote it. */
  let text = readSaved(storage);
  let cart = restore(text, onCorrupt);
  let changedElsewhere = 0;
  let typedElsewhere = 0;

  function change(next: Cart) {
    cart = next;
    for (const listener of listeners) listener();
  }

  function followOtherTabs() {
    const now = readSaved(storage);
    if (now === undefined || now === text) return;
    text = now;
    const next = restore(text, onCorrupt);
    if (contents(next) !== contents(cart)) changedElsewhere++;
    if (details(next) !== details(cart)) typedElsewhere++;
    change(next);
  }

  function dispatch(action: CartAction) {
    followOtherTabs();
    change(changeCart(cart, action));
    const next = JSON.stringify(cart);
    save(storage, next);
    // A storage may refuse without an error. What it does not have must not read as removed by another tab.
    if (readSaved(storage) === next) text = next;
  }

  const onForget = () => dispatch({ type: "forget-details" });

  return {
    get: () => cart,
    dispatch,
    changedElsewhere: () => changedElsewhere,
    typedElsewhere: () => typedElsewhere,
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

function readSaved(storage: Surroundings["storage"]): string | null | undefined {
  try {
    return storage?.getItem(CART_KEY);
  } catch {
    return undefined; // blocked by the browser
  }
}

function save(storage: Surroundings["storage"], text: string): void {
  try {
    storage?.setItem(CART_KEY, text);
  } catch {
    // Storage is full or blocked: the cart lasts as long as the page.
  }
}
