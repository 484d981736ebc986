import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { changeCart, type CartAction } from "./cart/model.ts";
import { emptyCart, type Cart } from "./cart/record.ts";
import type { PaymentState } from "./payment/payment-provider.ts";
import { releaseHoldAtSignOut, releaseHold } from "./release-hold.ts";

const server = vi.hoisted(() => ({ released: [] as string[], signedIn: "u1" }));
vi.mock("#lib/api/supabase.ts", () => ({
  getSupabase: async () => ({
    auth: { getSession: async () => ({ data: { session: { user: { id: server.signedIn } } } }) },
    rpc: async (_name: string, { p_order_id }: { p_order_id: string }) => {
      server.released.push(p_order_id);
      return { data: true, error: null };
    },
  }),
}));

const order = {
  ...{ orderId: "o1", key: "k1", heldUntil: "2025-06-01T00:15:00Z", clientSecret: "pi_1_secret_1" },
  ...{ total: 4500, items: [], email: "a@example.com" },
};
let cart: Cart;
const record = {
  current: () => cart,
  change: (action: CartAction) => void (cart = changeCart(cart, action, () => "k2")),
};
const provider = (status: PaymentState["status"]) => async () => ({ retrieve: async () => ({ status }) });
let otherTabs = 0;

beforeEach(() => {
  vi.stubGlobal("navigator", {
    locks: {
      request: async (_name: string, _options: object, work: (lock: object | null) => unknown) =>
        work(otherTabs > 0 ? null : {}),
    },
  });
  otherTabs = 0;
  server.released = [];
  server.signedIn = "u1";
  cart = { ...emptyCart, owner: "u1", key: "k1", order };
});
afterEach(() => vi.unstubAllGlobals());

test("releases an open order's stock, and the next order has another key", async () => {
  expect(await releaseHold("u1", record, provider("open"))).toBe(true);
  expect(server.released).toEqual(["o1"]);
  expect(cart.order).toBeUndefined();
  expect(cart.key).toBe("k2");
});

test.each(["processing", "succeeded", "canceled"] as const)(
  "leaves a payment that is %s alone",
  async (status) => {
    expect(await releaseHold("u1", record, provider(status))).toBe(false);
    expect(server.released).toEqual([]);
    expect(cart.order).toEqual(order);
  },
);

test("keeps the hold while another tab is in checkout", async () => {
  otherTabs = 1;
  expect(await releaseHold("u1", record, provider("open"))).toBe(false);
  expect(cart.order).toEqual(order);
});

test("does nothing for another user, or when the provider cannot be reached", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await releaseHold("u2", record, provider("open"))).toBe(false);
  expect(await releaseHold("u1", record, () => Promise.reject(new Error("offline")))).toBe(false);
  server.signedIn = "u2";
  expect(await releaseHold("u1", record, provider("open"))).toBe(false);
  expect(server.released).toEqual([]);
});

test("releases the hold at sign-out also while tabs are at checkout, but no payment in progress", async () => {
  otherTabs = 1;
  await releaseHoldAtSignOut("u1", undefined, provider("open"));
  await releaseHoldAtSignOut("u1", order, provider("processing"));
  expect(server.released).toEqual([]);
  await releaseHoldAtSignOut("u1", order, provider("open"));
  expect(server.released).toEqual(["o1"]);
});
