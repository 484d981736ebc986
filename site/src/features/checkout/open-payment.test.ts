import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FunctionErrorCode } from "contract/errors";
import { callFunction, FunctionError } from "#lib/api/functions.ts";
import { changeCart, type CartAction } from "./cart/model.ts";
import { emptyCart, type Cart } from "./cart/record.ts";
import { openPayment } from "./open-payment.ts";
import type { PaymentState } from "./payment/payment-provider.ts";

vi.mock("#lib/api/functions.ts", async (original) => ({
  ...(await original<typeof import("#lib/api/functions.ts")>()),
  callFunction: vi.fn<(name: string, body: unknown, headers: Record<string, string>) => Promise<unknown>>(),
}));

const answer = {
  clientSecret: "pi_1_secret_x",
  orderId: "o1",
  holdExpiresAt: "2025-06-01T00:00:00Z",
  orderStatus: "pending",
};
const request = {
  items: [],
  attendees: [],
  buyerInfo: { name: "Ana", email: "a@example.com", phone: "7135550127" },
  totalAmount: 45,
};
const otherRequest = { ...request, totalAmount: 90 };
const server = vi.mocked(callFunction);
const providerSaying = (status: PaymentState["status"]) => ({ retrieve: vi.fn(async () => ({ status })) });
const keys = () => server.mock.calls.map(([, , headers]) => headers?.["Idempotency-Key"]);
const refusal = (code: FunctionErrorCode) => new FunctionError({ code, message: code });

// The page has one rate limiter, so each test uses a different buyer.
let user = "";
let users = 0;
let cart: Cart;
const record = {
  current: () => cart,
  change: (action: CartAction) => void (cart = changeCart(cart, action, newKey)),
};
let lastKey = 0;
const newKey = () => `key ${++lastKey}`;
/** Another total stands for another cart. */
const open = (provider: { retrieve: () => Promise<PaymentState> }, ordered = request) =>
  openPayment(user, record, { key: cart.key!, request: ordered }, provider);
const changed = () => void (cart = { ...cart, key: newKey() });

beforeEach(() => {
  vi.stubGlobal("window", { localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} } });
  user = `buyer ${++users}`;
  cart = { ...emptyCart, owner: user, key: newKey() };
  server.mockReset().mockResolvedValue(answer);
});

describe("opening a payment", () => {
  it("places the order under the cart's key, and keeps it in the record", async () => {
    const provider = providerSaying("open");
    const order = {
      ...{ orderId: "o1", key: cart.key, heldUntil: "2025-06-01T00:00:00Z", clientSecret: "pi_1_secret_x" },
      ...{ total: 4500, items: [], email: "a@example.com" },
    };
    expect(await open(provider)).toEqual({ type: "placed", order });
    expect(cart.order).toEqual(order);
    expect(provider.retrieve).not.toHaveBeenCalled();
    await open(provider);
    expect(provider.retrieve).toHaveBeenCalledWith("pi_1_secret_x");
    expect(new Set(keys()).size).toBe(1);
  });

  it.each(["succeeded", "processing"] as const)(
    "opens nothing while an earlier payment is %s, whatever the cart is now",
    async (status) => {
      await open(providerSaying("open"));
      server.mockClear();
      changed();
      expect(await open(providerSaying(status), otherRequest)).toMatchObject({
        type: "found-under-way",
        order: { orderId: "o1" },
        isApproved: status === "succeeded",
      });
      expect(server).not.toHaveBeenCalled();
    },
  );

  it("tells why the payment was refused that it finds again, unless another one is opened", async () => {
    const declining = {
      retrieve: async () => ({ status: "open", failure: "Your card was declined." }) as const,
    };
    await open(providerSaying("open"));
    expect(await open(declining)).toMatchObject({ type: "placed", failure: "Your card was declined." });
    server.mockResolvedValue({ ...answer, clientSecret: "pi_2_secret_x" });
    expect(await open(declining)).not.toHaveProperty("failure");
  });

  it("opens nothing while the provider cannot be asked about an earlier payment", async () => {
    await open(providerSaying("open"));
    server.mockClear();
    const provider = { retrieve: () => Promise.reject(new Error("offline")) };
    await expect(open(provider)).rejects.toThrow("offline");
    expect(server).not.toHaveBeenCalled();
  });

  it("renews the key of a canceled payment", async () => {
    await open(providerSaying("open"));
    const before = cart.key;
    expect(await open(providerSaying("canceled"))).toEqual({ type: "renew" });
    expect(cart.key).not.toBe(before);
    expect(await open(providerSaying("canceled"))).toMatchObject({ type: "placed" });
  });

  it.each(["idempotency_conflict", "order_cancelled"] as const)(
    "renews the key when the server answers %s, unless another tab has",
    async (code) => {
      server.mockRejectedValue(refusal(code));
      const before = cart.key;
      expect(await open(providerSaying("open"))).toEqual({ type: "renew" });
      expect(cart.key).not.toBe(before);
      const renewed = cart.key;
      expect(await openPayment(user, record, { key: before!, request }, providerSaying("open"))).toEqual({
        type: "renew",
      });
      expect(cart.key).toBe(renewed);
    },
  );

  it("no longer goes by the order before once another is asked for", async () => {
    await open(providerSaying("open"));
    changed();
    server.mockRejectedValueOnce(refusal("price_changed"));
    await expect(open(providerSaying("open"), otherRequest)).rejects.toThrow("price_changed");
    expect(cart.order).toBeUndefined();
  });

  it("notices that the order it finds again is already paid", async () => {
    server.mockResolvedValue({ ...answer, orderStatus: "confirmed" });
    expect(await open(providerSaying("open"))).toMatchObject({ type: "found-under-way", isApproved: true });
  });

  it("fails when the server returns no payment", async () => {
    server.mockResolvedValue({});
    await expect(open(providerSaying("open"))).rejects.toThrow("Unable to initialize payment");
  });

  it("places at most five orders a minute", async () => {
    for (let call = 0; call < 5; call++) {
      await open(providerSaying("open"));
      changed();
    }
    await expect(open(providerSaying("open"))).rejects.toThrow(/^Please wait \d+ seconds/);
    expect(server).toHaveBeenCalledTimes(5);
  });

  it("finds its order again however often the buyer goes back and forth or retries, also after a lost answer", async () => {
    server.mockRejectedValueOnce(new FunctionError());
    await expect(open(providerSaying("open"))).rejects.toThrow("could not be reached");
    for (let call = 0; call < 8; call++) await open(providerSaying("open"));
    expect(server).toHaveBeenCalledTimes(9);
    expect(new Set(keys()).size).toBe(1);
  });

  it("leaves nothing of a buyer who has logged out meanwhile", async () => {
    server.mockImplementation(async () => {
      record.change({ type: "forget-details" });
      return answer;
    });
    await open(providerSaying("open"));
    expect(cart.order).toBeUndefined();
  });
});
