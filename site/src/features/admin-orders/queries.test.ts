import { afterEach, expect, it, vi } from "vitest";
import { bookedRefunds, fetchOrderCase } from "./queries.ts";

vi.mock("#lib/api/supabase.ts", async () => {
  const { createSupabase } = await import("#lib/api/supabase-client.ts");
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  return { getSupabase: async () => supabase };
});
vi.mock("#ui/overlays/toast.ts", () => ({ toast: {} }));

afterEach(() => vi.unstubAllGlobals());

const id = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const refund = {
  id: "r",
  created_at: "2025-06-01T12:00:00Z",
  items: [{ name: "VIP", quantity: 1, amount: 150 }],
};
const order = {
  id,
  attendees: [],
  order_items: [],
  codes: [],
  payments: [],
  disputes: [],
  refunds: [refund],
  till_payments: [],
  order_notes: [],
  order_tags: [],
};

/** A server that gives these answers, by table or function. */
function answering(answers: Record<string, unknown>): void {
  const all: Record<string, unknown> = {
    orders: [order],
    audit_logs: [],
    outbox: [],
    get_order_actors: {},
    ...answers,
  };
  vi.stubGlobal("fetch", async (address: string | URL | Request) => {
    const path = new URL(address instanceof Request ? address.url : address).pathname;
    return Response.json(all[path.split("/").at(-1)!] ?? null);
  });
}

it("reads an order with what its refunds returned", async () => {
  answering({});
  expect((await fetchOrderCase(id))?.order.refunds).toEqual([refund]);
  answering({ orders: [] });
  expect(await fetchOrderCase(id)).toBeNull();
});

it.each([
  ["a refund whose items cannot be read", { orders: [{ ...order, refunds: [{ ...refund, items: "VIP" }] }] }],
  [
    "a refund that names no amount",
    { orders: [{ ...order, refunds: [{ ...refund, items: [{ name: "VIP", quantity: 0 }] }] }] },
  ],
  ["attendees that cannot be read", { orders: [{ ...order, attendees: [{ name: 7 }] }] }],
  ["an order without its payments", { orders: [{ ...order, payments: undefined }] }],
  ["no list of what the audit log has", { audit_logs: null }],
  ["no list of what waits in the outbox", { outbox: {} }],
  ["no addresses of who changed it", { get_order_actors: [] }],
])("fails for %s", async (_what, answers) => {
  answering(answers);
  await expect(fetchOrderCase(id)).rejects.toThrow(/answer/);
});

it("exports no refund whose items cannot be read", async () => {
  answering({ refunds: [refund] });
  expect((await bookedRefunds().next()).value).toEqual([refund]);
  answering({ refunds: [{ ...refund, items: null }] });
  await expect(bookedRefunds().next()).rejects.toThrow("refunds: unexpected answer");
});
