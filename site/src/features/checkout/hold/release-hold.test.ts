import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberAttempt, rememberedAttempt } from "../payment/attempt.ts";
import type { PaymentState } from "../payment/payment-provider.ts";
import { releaseHold } from "./release-hold.ts";
import { underWay } from "../payment/under-way.ts";

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

const payment = { clientSecret: "pi_1_secret_1", orderId: "o1", holdExpiresAt: "2025-06-01T00:15:00Z" };
const attempt = { userId: "u1", fingerprint: "{}", idempotencyKey: "k1", payment };
const provider = (status: PaymentState["status"]) => async () => ({ retrieve: async () => ({ status }) });
let otherTabs = 0;

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
  });
  vi.stubGlobal("navigator", {
    locks: {
      request: async (_name: string, _options: object, work: (lock: object | null) => unknown) =>
        work(otherTabs > 0 ? null : {}),
    },
  });
  otherTabs = 0;
  server.released = [];
  server.signedIn = "u1";
  rememberAttempt(attempt);
});
afterEach(() => vi.unstubAllGlobals());

test("releases an open order's stock and forgets the attempt", async () => {
  expect(await releaseHold("u1", provider("open"))).toBe(true);
  expect(server.released).toEqual(["o1"]);
  expect(rememberedAttempt("u1")).toBeUndefined();
});

test.each(["processing", "succeeded", "canceled"] as const)(
  "leaves a payment that is %s alone",
  async (status) => {
    expect(await releaseHold("u1", provider(status))).toBe(false);
    expect(server.released).toEqual([]);
    expect(rememberedAttempt("u1")).toEqual(attempt);
  },
);

test("waits for work in progress before it checks the payment", async () => {
  let status: PaymentState["status"] = "open";
  let paid = () => {};
  void underWay(new Promise<void>((done) => (paid = done)));
  const released = releaseHold("u1", async () => ({ retrieve: async () => ({ status }) }));
  status = "succeeded";
  paid();
  expect(await released).toBe(false);
  expect(server.released).toEqual([]);
});

test("keeps the hold while another tab is in checkout", async () => {
  otherTabs = 1;
  expect(await releaseHold("u1", provider("open"))).toBe(false);
  expect(rememberedAttempt("u1")).toEqual(attempt);
});

test("does nothing for another user, or when the provider cannot be reached", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await releaseHold("u2", provider("open"))).toBe(false);
  expect(await releaseHold("u1", () => Promise.reject(new Error("offline")))).toBe(false);
  server.signedIn = "u2";
  expect(await releaseHold("u1", provider("open"))).toBe(false);
  expect(server.released).toEqual([]);
});
