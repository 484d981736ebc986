import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetAttempt, rememberAttempt, rememberedAttempt } from "./attempt.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { finishPayment, refundWords } from "./finish-payment.ts";

const server = vi.hoisted(() => ({
  signedIn: "u1" as string | undefined,
  process: vi.fn<() => Promise<unknown>>(),
  toasts: [] as string[],
}));
vi.mock("#lib/api/supabase.ts", () => ({
  getSupabase: async () => ({
    auth: {
      getSession: async () => ({ data: { session: server.signedIn && { user: { id: server.signedIn } } } }),
    },
  }),
}));
vi.mock("#lib/api/functions.ts", async (original) => ({
  ...(await original<typeof import("#lib/api/functions.ts")>()),
  callFunction: server.process,
}));
const page = vi.hoisted(() => ({ unlessLeft: (run: () => void) => run() }));
vi.mock("#lib/browser/leaving.ts", () => ({ unlessLeft: (run: () => void) => page.unlessLeft(run) }));
vi.mock("#ui/overlays/toast.ts", () => ({
  toast: Object.fromEntries(
    ["success", "error"].map((kind) => [kind, (title: string) => server.toasts.push(title)]),
  ),
}));

describe("finishing a payment", () => {
  const buyerInfo = { name: "Ana", email: "a@example.com", phone: "7135550127" };
  const item = { id: "t1", name: "General", price: 45, quantity: 1, type: "ticket" as const };
  const basket = (quantity: number) => ({ items: [{ ...item, quantity }], seats: [], buyerInfo });
  const attempt = (id: number) => ({
    userId: "u1",
    fingerprint: JSON.stringify({ items: [item], attendees: [], buyerInfo, totalAmount: 45 }),
    idempotencyKey: `k${id}`,
    payment: {
      clientSecret: `pi_${id}_secret_x`,
      orderId: `o${id}`,
      holdExpiresAt: "2025-06-01T00:15:00Z",
    },
  });
  const paid = { paymentIntentId: "pi_1" };
  const takeBought = vi.fn<(bought: readonly { id: string; quantity: number }[]) => void>();
  const cart = { current: () => basket(1), takeBought, clear: vi.fn<() => void>() };
  const setItem = vi.fn<(key: string, value: string) => void>();

  beforeEach(() => {
    const stored = new Map<string, string>();
    setItem.mockReset().mockImplementation((key, value) => void stored.set(key, value));
    vi.stubGlobal("window", {
      localStorage: {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem,
        removeItem: (key: string) => stored.delete(key),
      },
    });
    forgetAttempt();
    cart.clear.mockReset();
    takeBought.mockReset();
    server.process.mockReset().mockResolvedValue({ success: true, status: "confirmed" });
    server.signedIn = "u1";
    server.toasts = [];
    page.unlessLeft = (run) => run();
  });
  const announced = () => setItem.mock.calls.some(([key]) => key.endsWith(":paid"));

  it("announces the order, forgets its attempt and empties the cart that it bought", async () => {
    rememberAttempt(attempt(1));
    expect(await finishPayment("u1", paid, cart)).toEqual({
      result: "confirmed",
      orderId: "o1",
      email: "a@example.com",
    });
    expect(rememberedAttempt("u1")).toBeUndefined();
    expect(cart.clear).toHaveBeenCalledOnce();
    expect(announced()).toBe(true);
  });

  it("leaves the attempt and the cart of a later order alone", async () => {
    rememberAttempt(attempt(2));
    expect(await finishPayment("u1", paid, cart)).toEqual({ result: "confirmed", isCartLeft: true });
    expect(rememberedAttempt("u1")).toEqual(attempt(2));
    expect(cart.clear).not.toHaveBeenCalled();
    expect(announced()).toBe(false);
  });

  it("leaves what was begun or added while the server worked", async () => {
    rememberAttempt(attempt(1));
    server.process.mockImplementation(async () => {
      rememberAttempt(attempt(2));
      return { success: true, status: "confirmed" };
    });
    expect(await finishPayment("u1", paid, cart)).toMatchObject({ orderId: "o1" });
    expect(rememberedAttempt("u1")).toEqual(attempt(2));
    rememberAttempt(attempt(1));
    server.process.mockResolvedValue({ success: true, status: "confirmed" });
    const end = await finishPayment("u1", paid, { ...cart, current: () => basket(3) });
    expect(end).toMatchObject({ isCartLeft: true });
    expect(rememberedAttempt("u1")).toBeUndefined();
    expect(cart.clear).not.toHaveBeenCalled();
    expect(takeBought).toHaveBeenCalledExactlyOnceWith([item]);
  });

  it("does nothing with another user's session, and tells that user nothing", async () => {
    rememberAttempt(attempt(1));
    server.signedIn = "u2";
    expect(await finishPayment("u1", paid, cart)).toBe("not-theirs");
    expect(server.process).not.toHaveBeenCalled();
    server.signedIn = "u1";
    server.process.mockImplementation(async () => {
      server.signedIn = "u2";
      return { success: true, status: "confirmed" };
    });
    expect(await finishPayment("u1", paid, cart)).toBe("not-theirs");
    expect(server.toasts).toEqual([]);
    expect(rememberedAttempt("u1")).toEqual(attempt(1));
    expect(cart.clear).not.toHaveBeenCalled();
  });

  it("says nothing once its buyer has logged out, which forgets the attempt", async () => {
    server.signedIn = undefined;
    expect(await finishPayment("u1", paid, cart)).toBe("not-theirs");
    expect(server.process).not.toHaveBeenCalled();
    expect(server.toasts).toEqual([]);
  });

  it("asks a buyer whose session lapsed to sign in again", async () => {
    rememberAttempt(attempt(1));
    server.signedIn = undefined;
    server.process.mockRejectedValue(new FunctionError({ code: "unauthorized", message: "Sign in" }));
    expect(await finishPayment("u1", paid, cart)).toBe("signed-out");
    expect(server.toasts).toEqual(["Payment Successful"]);
    expect(rememberedAttempt("u1")).toEqual(attempt(1));
  });

  it("says nothing about the order of somebody who used this address before", async () => {
    server.process.mockRejectedValue(new FunctionError({ code: "order_not_found", message: "No order" }));
    expect(await finishPayment("u1", paid, cart)).toBe("not-theirs");
    expect(server.toasts).toEqual([]);
  });

  it("empties the cart when another tab has taken a ticket out of what was bought", async () => {
    const two = {
      ...attempt(1),
      fingerprint: JSON.stringify({ items: [{ ...item, quantity: 2 }], buyerInfo }),
    };
    rememberAttempt(two);
    expect(await finishPayment("u1", paid, cart)).not.toHaveProperty("isCartLeft");
    expect(cart.clear).toHaveBeenCalledOnce();
  });

  it("empties the cart that it bought when another tab has changed a price or a name since", async () => {
    rememberAttempt(attempt(1));
    const items = [{ ...item, price: 50 }];
    await finishPayment("u1", paid, {
      ...cart,
      current: () => ({ ...basket(1), items, buyerInfo: { ...buyerInfo, name: "A" } }),
    });
    expect(cart.clear).toHaveBeenCalledOnce();
  });

  it("ends only once it is known that the page stays", async () => {
    rememberAttempt(attempt(1));
    let end: ReturnType<typeof finishPayment> | undefined;
    const stay = await new Promise<() => void>((left) => {
      page.unlessLeft = left;
      end = finishPayment("u1", paid, cart);
    });
    expect(rememberedAttempt("u1"), "the next page finishes the order").toEqual(attempt(1));
    stay();
    expect(await end).toMatchObject({ result: "confirmed" });
  });
});

it.each([
  ["sold_out", "had sold out"],
  ["too_many_tickets", "exceed the limit per buyer"],
  ["amount_differs", "doesn't match this order"],
  ["currency_differs", "not in US dollars"],
  ["order_cancelled", "was canceled"],
  ["paid_twice", "already paid"],
  ["another_reason", "could not be fulfilled"],
  [undefined, "could not be fulfilled"],
])("explains that a payment refunded for %s %s", (reason, words) => {
  expect(refundWords(reason)).toContain(words);
  expect(refundWords(reason)).toMatch(/Your payment is being refunded in full\.$/);
});
