import { describe, expect, it, vi } from "vitest";
import { callFunction } from "#lib/api/functions.ts";
import { paymentConfig, placeOrder, processPayment, quotePromoCode, releaseOrder, visit } from "./queries.ts";

vi.mock("#lib/api/functions.ts", async (original) => ({
  ...(await original<typeof import("#lib/api/functions.ts")>()),
  callFunction: vi.fn<(name: string) => Promise<unknown>>(),
}));
const api = vi.hoisted(() => ({ released: undefined as unknown }));
vi.mock("#lib/api/supabase.ts", () => ({
  getSupabase: async () => ({
    auth: { getSession: async () => ({ data: { session: { user: { id: "u1" } } } }) },
    rpc: async () => ({ data: api.released, error: null }),
  }),
}));

const server = vi.mocked(callFunction);
const request = {
  items: [],
  attendees: [],
  buyerInfo: { name: "Ana", email: "a@example.com", phone: "7135550127" },
  totalAmount: 45,
};
const placed = {
  clientSecret: "pi_1_secret_x",
  orderId: "o1",
  holdExpiresAt: "2025-06-01T12:00:00Z",
  orderStatus: "pending",
};
const config = { publishableKey: "pk_1", sandbox: true };
const line = {
  open: true,
  admitted: false,
  place: "p",
  position: 2,
  ahead: 1,
  estimatedSeconds: 5,
  pollAfterSeconds: 2,
};

describe("a response in another shape is an error:", () => {
  it.each([
    ["a placed order", () => placeOrder(request, {}, "key"), placed, "Unable to initialize payment"],
    ["the payment configuration", paymentConfig, config, "Payment configuration is not available"],
    ["a place in line", () => visit({}), line, "not a place in the waiting room"],
  ] as const)("%s", async (_name, ask, answer, message) => {
    server.mockResolvedValue(answer);
    expect(await ask()).toEqual(answer);
    for (const field of Object.keys(answer)) {
      server.mockResolvedValue({ ...answer, [field]: undefined });
      await expect(ask(), `without ${field}`).rejects.toThrow(message);
    }
  });

  it("a processed payment", async () => {
    server.mockResolvedValue({ success: false, status: "refund_queued", reason: "sold_out" });
    expect(await processPayment({ paymentIntentId: "pi_1" })).toEqual({
      status: "refund_queued",
      reason: "sold_out",
    });
    server.mockResolvedValue({ success: true, status: "already_confirmed" });
    expect(await processPayment({ paymentIntentId: "pi_1" })).toEqual({ status: "confirmed" });
    for (const odd of [{}, { success: false, status: "not_found" }]) {
      server.mockResolvedValue(odd);
      await expect(processPayment({ paymentIntentId: "pi_1" })).rejects.toThrow("not processed");
    }
  });

  it("a promo code's quote", async () => {
    const ask = () => quotePromoCode("summer", []);
    server.mockResolvedValue({ ok: true, code: "SUMMER", discount_cents: 500 });
    expect(await ask()).toEqual({ code: "SUMMER", discount: 500 });
    expect(server).toHaveBeenLastCalledWith("quote-promo-code", { code: "summer", items: [] });
    server.mockResolvedValue({ ok: false, message: "This code is not valid." });
    expect(await ask()).toEqual({ refused: "This code is not valid." });
    for (const odd of [{}, { ok: true, code: "SUMMER" }, { ok: true, discount_cents: 500 }, { ok: false }]) {
      server.mockResolvedValue(odd);
      await expect(ask()).rejects.toThrow("not what a promo code takes off");
    }
  });

  it("a released hold", async () => {
    api.released = true;
    expect(await releaseOrder("u1", "o1")).toBe(true);
    api.released = null;
    await expect(releaseOrder("u1", "o1")).rejects.toThrow("not whether the hold was released");
  });
});
