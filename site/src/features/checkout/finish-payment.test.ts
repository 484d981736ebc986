import { beforeEach, describe, expect, it, vi } from "vitest";
import { changeCart, type CartAction } from "./cart/model.ts";
import { emptyCart, type Cart } from "./cart/record.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { finishPayment, refundWords } from "./finish-payment.ts";

const server = vi.hoisted(() => ({
  signedIn: "u1" as string | undefined,
  process: vi.fn<(name: string, body: unknown) => Promise<unknown>>(),
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
  const item = { id: "t1", name: "General", price: 45, quantity: 1, type: "ticket" as const, itemData: {} };
  const order = {
    ...{ orderId: "o1", key: "k1", heldUntil: "2025-06-01T00:15:00Z", clientSecret: "pi_1_secret_x" },
    ...{ total: 4500, items: [item], email: "a@example.com" },
  };
  let cart: Cart;
  const record = {
    current: () => cart,
    change: (action: CartAction) => void (cart = changeCart(cart, action)),
  };

  beforeEach(() => {
    cart = { ...emptyCart, owner: "u1", items: [item], key: "k1", order };
    server.process.mockReset().mockResolvedValue({ success: true, status: "confirmed" });
    server.signedIn = "u1";
    server.toasts = [];
    page.unlessLeft = (run) => run();
  });

  it("has the order confirmed by its payment, or by its id when there was nothing to pay", async () => {
    await finishPayment("u1", record, order);
    expect(server.process).toHaveBeenLastCalledWith("process-payment", { paymentIntentId: "pi_1" });
    await finishPayment("u1", record, { ...order, clientSecret: "" });
    expect(server.process).toHaveBeenLastCalledWith("process-payment", { orderId: "o1" });
  });

  it.each([
    ["as checkout knows it", order],
    ["by the address that the bank led back to", { intentId: "pi_1" }],
  ])("takes what it bought out of the cart, found %s", async (_how, known) => {
    expect(await finishPayment("u1", record, known)).toEqual({ result: "confirmed" });
    expect(cart).toMatchObject({
      items: [],
      paid: { orderId: "o1", email: "a@example.com", result: "confirmed" },
    });
    expect(cart.order).toBeUndefined();
  });

  it("says why a payment is refunded, and leaves the cart", async () => {
    server.process.mockResolvedValue({ success: false, status: "refund_queued", reason: "sold_out" });
    expect(await finishPayment("u1", record, order)).toEqual({ result: "refunded", reason: "sold_out" });
    expect(cart).toMatchObject({ items: [item], paid: { result: "refunded", reason: "sold_out" } });
  });

  it("leaves the cart alone when the payment is for an order that this browser does not know", async () => {
    const before = cart;
    expect(await finishPayment("u1", record, { intentId: "pi_2" })).toEqual({ result: "confirmed" });
    expect(cart).toBe(before);
  });

  it("does nothing with another user's session, and tells that user nothing", async () => {
    const before = cart;
    server.signedIn = "u2";
    expect(await finishPayment("u1", record, order)).toBe("not-theirs");
    expect(server.process).not.toHaveBeenCalled();
    server.signedIn = "u1";
    server.process.mockImplementation(async () => {
      server.signedIn = "u2";
      return { success: true, status: "confirmed" };
    });
    expect(await finishPayment("u1", record, order)).toBe("not-theirs");
    expect(server.toasts).toEqual([]);
    expect(cart).toBe(before);
  });

  it("says nothing once its buyer has logged out, which forgets the owner", async () => {
    server.signedIn = undefined;
    record.change({ type: "forget-details" });
    expect(await finishPayment("u1", record, order)).toBe("not-theirs");
    expect(server.process).not.toHaveBeenCalled();
    expect(server.toasts).toEqual([]);
  });

  it("asks a buyer whose session lapsed to sign in again", async () => {
    server.signedIn = undefined;
    server.process.mockRejectedValue(new FunctionError({ code: "unauthorized", message: "Sign in" }));
    expect(await finishPayment("u1", record, order)).toBe("signed-out");
    expect(server.toasts).toEqual(["Payment Successful"]);
    expect(cart.order).toEqual(order);
  });

  it("says nothing about the order of somebody who used this address before", async () => {
    server.process.mockRejectedValue(new FunctionError({ code: "order_not_found", message: "No order" }));
    expect(await finishPayment("u1", record, { intentId: "pi_2" })).toBe("not-theirs");
    expect(server.toasts).toEqual([]);
  });

  it("ends only once it is known that the page stays", async () => {
    let end: ReturnType<typeof finishPayment> | undefined;
    const stay = await new Promise<() => void>((left) => {
      page.unlessLeft = left;
      end = finishPayment("u1", record, order);
    });
    expect(cart.order, "the next page finishes the order").toEqual(order);
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
