import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSupabase } from "#lib/api/supabase-client.ts";
import { levelOf, readStock, sources } from "./queries.ts";

const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
const answering = (answer: unknown) => vi.stubGlobal("fetch", async () => Response.json(answer));
const order = {
  id: "o",
  buyer_full_name: "Ana",
  total_amount: 45,
  created_at: "2025-06-01T12:00:00Z",
  channel: "online",
};
const [orders] = sources;
const level = { id: "t", current_inventory: 3, total_inventory: 100, is_hidden: false };

beforeEach(() => answering([]));
afterEach(() => vi.unstubAllGlobals());

it("announces the rows that were read and the one that changed", async () => {
  answering([order]);
  const [read] = await orders!.read(supabase, "-infinity", 1);
  expect(read).toMatchObject({ message: "Order from Ana - $45.00" });
  expect(orders!.notify({ ...order, status: "pending" })).toEqual(read);
  expect(levelOf({ ...level, name: "Lot", price: 25 })).toEqual({ ...level, name: "Lot" });
});

it("does not announce comps as orders", () => {
  expect(orders!.notify({ ...order, channel: "comp" })).toBeUndefined();
});

it.each([[null], [{}], [[{ ...order, total_amount: null }]]])(
  "takes %j for no list of orders",
  async (answer) => {
    answering(answer);
    await expect(orders!.read(supabase, "-infinity", 1)).rejects.toThrow("unexpected answer");
  },
);

it("takes rows without their figures for no stock, and a change without them for none", async () => {
  answering([{ ...level, name: "VIP" }]);
  await expect(readStock(supabase)).rejects.toThrow("unexpected answer at 0.updated_at");
  expect(() => levelOf({ ...level, name: "VIP", current_inventory: undefined })).toThrow(
    "at current_inventory",
  );
  expect(() => orders!.notify({ id: "o" })).toThrow("unexpected answer at buyer_full_name");
});
