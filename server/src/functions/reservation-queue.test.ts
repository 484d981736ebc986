import { expect, it } from "vitest";
import type { Cart } from "../../../supabase/functions/_shared/reservation.ts";
import { createReservationQueue } from "./reservation-queue.ts";

const cart = (user_id: string, idempotency_key = `key-${user_id}`): Cart => ({
  user_id,
  idempotency_key,
  request_hash: "hash",
  items: [],
  attendees: [],
  buyer: { name: "", email: "", phone: "" },
  total_cents: 0,
});

it("keeps a buyer's second cart for the next batch, and lets a replay of the first share its batch", async () => {
  const batches: string[][] = [];
  const reserve = createReservationQueue(async (carts) => {
    batches.push(carts.map(({ idempotency_key }) => idempotency_key));
    return carts.map(() => ({ ok: false, code: "not_asked", message: "" }));
  });
  await Promise.all([cart("alone"), cart("a"), cart("a", "second"), cart("a"), cart("b")].map(reserve));
  expect(batches).toEqual([["key-alone"], ["key-a", "key-a", "key-b"], ["second"]]);
});
