import { expect, it } from "vitest";
import type { Cart } from "../../../supabase/functions/_shared/reservation.ts";
import { createReservationQueue } from "./reservation-queue.ts";

const cart = (user_id: string, idempotency_key = `key-${user_id}`, request_hash = "hash"): Cart => ({
  user_id,
  idempotency_key,
  request_hash,
  items: [],
  attendees: [],
  buyer: { name: "", email: "", phone: "" },
  total_cents: 0,
});

it("keeps a buyer's second cart for the next batch, and lets a replay of the first share its batch", async () => {
  const batches: string[][] = [];
  const reserve = createReservationQueue(async (carts) => {
    batches.push(carts.map(({ idempotency_key, request_hash }) => `${idempotency_key} ${request_hash}`));
    return carts.map(() => ({ ok: false, code: "not_asked", message: "" }));
  });
  const carts = [
    ...[cart("alone"), cart("a"), cart("a", "second"), cart("a", "key-a", "other")],
    ...[cart("a"), cart("b")],
  ];
  await Promise.all(carts.map(reserve));
  expect(batches).toEqual([
    ["key-alone hash"],
    ["key-a hash", "key-a hash", "key-b hash"],
    ["second hash"],
    ["key-a other"],
  ]);
});
