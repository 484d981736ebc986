import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FunctionErrorCode } from "contract/errors";
import { callFunction, FunctionError } from "#lib/api/functions.ts";
import { forgetAttempt, rememberAttempt, rememberedAttempt } from "./attempt.ts";
import { openPayment } from "./open-payment.ts";
import type { PaymentState } from "./payment-provider.ts";

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

beforeEach(() => {
  const entries = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => entries.set(key, value),
      removeItem: (key: string) => entries.delete(key),
    },
  });
  user = `buyer ${++users}`;
  server.mockReset().mockResolvedValue(answer);
});

describe("opening a payment", () => {
  it("finds the earlier payment again where the browser stores nothing", async () => {
    const { localStorage } = window;
    localStorage.setItem = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
    const provider = providerSaying("open");
    await openPayment(user, request, provider, undefined);
    expect(rememberedAttempt(user)?.payment).toMatchObject({ orderId: "o1" });
    await openPayment(user, request, provider, undefined);
    expect(provider.retrieve).toHaveBeenCalledWith("pi_1_secret_x");
    expect(new Set(keys()).size).toBe(1);
    forgetAttempt();
    expect(rememberedAttempt(user)).toBeUndefined();
  });

  it("places the order under one key, however often it is opened", async () => {
    const provider = providerSaying("open");
    expect(await openPayment(user, request, provider, undefined)).toMatchObject({
      kind: "open",
      payment: { orderId: "o1" },
    });
    expect(provider.retrieve).not.toHaveBeenCalled();
    await openPayment(user, request, provider, undefined);
    expect(provider.retrieve).toHaveBeenCalledWith("pi_1_secret_x");
    expect(new Set(keys()).size).toBe(1);
  });

  it("uses a new key for a changed basket, and for a hold that has ended", async () => {
    const provider = providerSaying("open");
    await openPayment(user, request, provider, undefined);
    await openPayment(user, otherRequest, provider, undefined);
    await openPayment(user, otherRequest, provider, "o1");
    expect(new Set(keys()).size).toBe(3);
  });

  it("keeps the key under which another tab has already held the tickets again", async () => {
    const provider = providerSaying("open");
    await openPayment(user, request, provider, undefined);
    await openPayment(user, request, provider, "the order this tab has lost");
    expect(new Set(keys()).size).toBe(1);
  });

  it.each(["succeeded", "processing"] as const)(
    "opens nothing while an earlier payment is %s, whatever the basket is now",
    async (status) => {
      await openPayment(user, request, providerSaying("open"), undefined);
      server.mockClear();
      for (const lost of [undefined, "o1"]) {
        const opened = await openPayment(user, otherRequest, providerSaying(status), lost);
        expect(opened).toMatchObject({ kind: "earlier", status, attempt: { payment: { orderId: "o1" } } });
      }
      expect(server).not.toHaveBeenCalled();
    },
  );

  it("opens nothing while the provider cannot be asked about an earlier payment", async () => {
    await openPayment(user, request, providerSaying("open"), undefined);
    server.mockClear();
    const provider = { retrieve: () => Promise.reject(new Error("offline")) };
    await expect(openPayment(user, request, provider, undefined)).rejects.toThrow("offline");
    expect(server).not.toHaveBeenCalled();
  });

  it("uses a new key after a cancelled payment", async () => {
    await openPayment(user, request, providerSaying("open"), undefined);
    await openPayment(user, request, providerSaying("canceled"), undefined);
    expect(new Set(keys()).size).toBe(2);
  });

  it.each(["idempotency_conflict", "order_cancelled"] as const)(
    "retries once with a new key when the server answers %s",
    async (code) => {
      server.mockRejectedValueOnce(refusal(code));
      expect(await openPayment(user, request, providerSaying("open"), undefined)).toMatchObject({
        kind: "open",
      });
      expect(new Set(keys()).size).toBe(2);
      server.mockRejectedValue(refusal(code));
      await expect(openPayment(user, otherRequest, providerSaying("open"), undefined)).rejects.toThrow(code);
      expect(server).toHaveBeenCalledTimes(4);
    },
  );

  it("keeps the key when the response is lost, so that it finds the same order again", async () => {
    server.mockRejectedValueOnce(new FunctionError());
    await expect(openPayment(user, request, providerSaying("open"), undefined)).rejects.toThrow(
      "could not be reached",
    );
    await openPayment(user, request, providerSaying("open"), undefined);
    expect(new Set(keys()).size).toBe(1);
  });

  it("notices that the order it finds again is already paid", async () => {
    server.mockResolvedValue({ ...answer, orderStatus: "confirmed" });
    expect(await openPayment(user, request, providerSaying("open"), undefined)).toMatchObject({
      kind: "earlier",
      status: "succeeded",
    });
  });

  it("fails when the server returns no payment", async () => {
    server.mockResolvedValue({});
    await expect(openPayment(user, request, providerSaying("open"), undefined)).rejects.toThrow(
      "Unable to initialize payment",
    );
  });

  it("places at most five orders a minute", async () => {
    const basket = (totalAmount: number) => ({ ...request, totalAmount });
    for (let call = 0; call < 5; call++)
      await openPayment(user, basket(call), providerSaying("open"), undefined);
    await expect(openPayment(user, basket(5), providerSaying("open"), undefined)).rejects.toThrow(
      /^Please wait \d+ seconds/,
    );
    expect(server).toHaveBeenCalledTimes(5);
  });

  it("finds its order again however often the buyer goes back and forth or retries", async () => {
    server.mockRejectedValueOnce(refusal("internal_error"));
    await openPayment(user, request, providerSaying("open"), undefined).catch(() => {});
    for (let call = 0; call < 8; call++) await openPayment(user, request, providerSaying("open"), undefined);
    expect(server).toHaveBeenCalledTimes(9);
    expect(new Set(keys()).size).toBe(1);
  });

  it("leaves another user's attempt alone", async () => {
    rememberAttempt({ userId: "somebody else", fingerprint: "f", idempotencyKey: "their key" });
    await openPayment(user, request, providerSaying("open"), undefined);
    expect(keys()).not.toContain("their key");
    expect(rememberedAttempt("somebody else")).toBeUndefined();
  });
});
