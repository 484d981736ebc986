import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { emptyCart, type CartItem } from "./record.ts";
import { CART_KEY } from "./saved-cart.ts";
import { createCartStore } from "./store.ts";

const general: CartItem = {
  id: "g",
  name: "General Admission",
  price: 45,
  quantity: 2,
  type: "ticket",
  itemData: {},
};

function memory(initial?: string) {
  const entries = new Map<string, string>(initial === undefined ? [] : [[CART_KEY, initial]]);
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
  };
}

describe("another tab", () => {
  let hear: () => void;
  beforeEach(() => {
    vi.stubGlobal("addEventListener", (type: string, listener: () => void) => {
      if (type === "storage") hear = listener;
    });
  });
  afterEach(() => vi.unstubAllGlobals());
  const saved = { ...emptyCart, items: [general] };

  it("is counted when it changes the cart's contents, not when it types names", () => {
    const storage = memory();
    const store = createCartStore({ storage, onCorrupt: vi.fn() });
    store.subscribe(() => {});
    storage.setItem(CART_KEY, JSON.stringify(saved));
    hear();
    expect(store.changedElsewhere()).toBe(1);
    storage.setItem(CART_KEY, JSON.stringify({ ...saved, attendees: [{ name: "Ana", email: "a@b.test" }] }));
    hear();
    expect(store.get().attendees).toEqual([{ name: "Ana", email: "a@b.test" }]);
    expect(store.changedElsewhere()).toBe(1);
  });

  it("is counted when it changes the buyer or the attendees, not when this one does or the items change", () => {
    const storage = memory();
    const store = createCartStore({ storage, onCorrupt: vi.fn() });
    store.subscribe(() => {});
    store.dispatch({ type: "merge-buyer", buyerInfo: { phone: "7" } });
    const other = createCartStore({ storage, onCorrupt: vi.fn() });
    other.dispatch({ type: "add", item: general });
    hear();
    expect(store.typedElsewhere()).toBe(0);
    other.dispatch({ type: "merge-buyer", buyerInfo: { name: "Ana" } });
    hear();
    expect(store.typedElsewhere()).toBe(1);
    other.dispatch({ type: "set-attendees", attendees: [{ name: "Ana", email: "a@b.test" }] });
    hear();
    expect(store.typedElsewhere()).toBe(2);
  });

  it("is followed even though it changed the cart before this one listened", () => {
    const storage = memory();
    const store = createCartStore({ storage, onCorrupt: vi.fn() });
    storage.setItem(CART_KEY, JSON.stringify(saved));
    store.subscribe(() => {});
    expect(store.get().items).toEqual([general]);
  });

  it("renews the key of the order for all tabs when it changes the cart", () => {
    const storage = memory();
    const stores = [1, 2, 3].map(() => createCartStore({ storage, onCorrupt: vi.fn() }));
    const [third] = stores;
    third!.dispatch({ type: "add", item: general });
    const before = third!.get().key;
    third!.dispatch({ type: "set-quantity", id: "g", quantity: 1 });
    for (const store of stores) {
      store.subscribe(() => {});
      expect(store.get().key).toBe(third!.get().key);
    }
    expect(third!.get().key).not.toBe(before);
  });

  it("keeps what it added when this one adds before it is notified", () => {
    const storage = memory();
    const store = createCartStore({ storage, onCorrupt: vi.fn() });
    store.subscribe(() => {});
    storage.setItem(CART_KEY, JSON.stringify(saved));
    store.dispatch({ type: "add", item: { ...general, id: "c", name: "Child" } });
    expect(store.get().items.map(({ id }) => id)).toEqual(["g", "c"]);
  });

  it("removes nothing from a cart that could not be saved", () => {
    const full = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    const store = createCartStore({ storage: { ...memory(), setItem: full }, onCorrupt: vi.fn() });
    store.dispatch({ type: "add", item: general });
    store.subscribe(() => {});
    hear();
    expect(store.get().items).toEqual([general]);
  });
});

describe("the saved cart", () => {
  it("is saved on every change and restored at start", () => {
    const storage = memory();
    const onCorrupt = vi.fn();
    createCartStore({ storage, onCorrupt }).dispatch({ type: "add", item: general });
    expect(createCartStore({ storage, onCorrupt }).get()).toMatchObject({ ...emptyCart, items: [general] });
    expect(onCorrupt).not.toHaveBeenCalled();
  });

  it.each([
    "{",
    "null",
    "[]",
    '"cart"',
    '{"items":{}}',
    '{"items":[{"id":"g"}]}',
    JSON.stringify({ items: [{ ...general, quantity: 1.5 }] }),
    JSON.stringify({ items: [{ ...general, quantity: -1 }] }),
    JSON.stringify({ items: [{ ...general, price: "45" }] }),
    JSON.stringify({ items: [{ ...general, price: 45.001 }] }),
    JSON.stringify({ items: [{ ...general, price: -45 }] }),
    JSON.stringify({ items: [{ ...general, type: 7 }] }),
  ])("is ignored and reported when it is corrupt: %s", (saved) => {
    const onCorrupt = vi.fn();
    expect(createCartStore({ storage: memory(saved), onCorrupt }).get()).toEqual(emptyCart);
    expect(onCorrupt).toHaveBeenCalledOnce();
  });

  it("keeps the items when only attendees or buyer are malformed", () => {
    const saved = JSON.stringify({
      items: [general],
      attendees: [{ name: 1 }, { name: "Ana", email: "" }],
      buyerInfo: { name: 7 },
    });
    expect(createCartStore({ storage: memory(saved), onCorrupt: vi.fn() }).get()).toEqual({
      ...emptyCart,
      items: [general],
      attendees: [{ name: "Ana", email: "" }],
    });
  });

  it("remembers across a reload which parking VIP replaced", () => {
    const storage = memory();
    const open = () => createCartStore({ storage, onCorrupt: vi.fn() });
    const parking: CartItem = { ...general, id: "p", name: "General Parking", quantity: 1, type: "parking" };
    const store = open();
    store.dispatch({ type: "add", item: parking });
    store.dispatch({ type: "add", item: { ...general, id: "v", name: "VIP" } });
    const reloaded = open();
    expect(reloaded.get().items.map(({ id }) => id)).toEqual(["v"]);
    reloaded.dispatch({ type: "remove", id: "v" });
    expect(reloaded.get().items).toEqual([parking]);
  });

  it("removes paid parking that VIP includes, whoever saved it", () => {
    const vip = { ...general, id: "v", name: "VIP" };
    const parking = { ...general, id: "p", name: "General Parking", type: "parking", quantity: 1 };
    const saved = JSON.stringify({ ...emptyCart, items: [vip, parking] });
    const store = createCartStore({ storage: memory(saved), onCorrupt: vi.fn() });
    expect(store.get().items).toEqual([vip]);
    store.dispatch({ type: "remove", id: "v" });
    expect(store.get().items).toEqual([parking]);
  });

  it("notifies its subscribers until they unsubscribe", () => {
    const store = createCartStore({ storage: undefined, onCorrupt: vi.fn() });
    const listener = vi.fn();
    const stop = store.subscribe(listener);
    store.dispatch({ type: "add", item: general });
    stop();
    store.dispatch({ type: "remove", id: "g" });
    expect(listener).toHaveBeenCalledOnce();
  });

  it("keeps everything while a storage refuses without an error", () => {
    const store = createCartStore({
      storage: { getItem: () => null, setItem: () => {} },
      onCorrupt: vi.fn(),
    });
    store.dispatch({ type: "add", item: general });
    store.dispatch({ type: "add", item: { ...general, id: "y" } });
    expect(store.get().items.map(({ id }) => id)).toEqual(["g", "y"]);
    expect(store.changedElsewhere()).toBe(0);
  });

  it("works without storage", () => {
    const refuse = () => {
      throw new DOMException("refused", "SecurityError");
    };
    const store = createCartStore({ storage: { getItem: refuse, setItem: refuse }, onCorrupt: vi.fn() });
    store.dispatch({ type: "add", item: general });
    expect(store.get().items).toEqual([general]);
  });
});

it("keeps its owner, what was agreed and the order over a reload, and nothing malformed", () => {
  const storage = memory();
  const open = () => createCartStore({ storage, onCorrupt: vi.fn() });
  const store = open();
  store.dispatch({ type: "claim", userId: "ana" });
  store.dispatch({ type: "add", item: general });
  store.dispatch({ type: "merge-buyer", buyerInfo: { name: "Ana" } });
  store.dispatch({ type: "agree" });
  const order = {
    orderId: "o1",
    key: "k1",
    heldUntil: "",
    total: 9000,
    items: [{ id: "g", quantity: 2 }],
    email: "a@b.test",
  };
  store.dispatch({ type: "set-order", order });
  expect(open().get()).toEqual(store.get());
  for (const odd of [
    { order: { ...order, items: [{}] } },
    { order: { ...order, key: 1 } },
    { paid: { orderId: "o1" } },
  ]) {
    storage.setItem(CART_KEY, JSON.stringify({ ...emptyCart, items: [general], ...odd }));
    expect(open().get()).toEqual({ ...emptyCart, items: [general] });
  }
});
