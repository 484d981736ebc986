import { expect, it } from "vitest";
import type { Cart, Reserved } from "../../../supabase/functions/_shared/reservation.ts";
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
const reserved: Reserved = {
  ok: true,
  order_id: "order",
  total_cents: 0,
  hold_expires_at: "2026-01-01T00:00:00Z",
  status: "pending",
  replayed: false,
};

it("keeps a buyer's second cart for the next batch, and answers replays from one cart", async () => {
  const batches: string[][] = [];
  const reserve = createReservationQueue(async (carts) => {
    batches.push(carts.map(({ idempotency_key, request_hash }) => `${idempotency_key} ${request_hash}`));
    return carts.map(({ user_id }) =>
      user_id === "a" ? { ok: false, code: "not_asked", message: "" } : reserved,
    );
  });
  const carts = [
    ...[cart("alone"), cart("a"), cart("a", "second"), cart("a", "key-a", "other")],
    ...[cart("a"), cart("b"), cart("alone"), ...Array.from({ length: 200 }, () => cart("b"))],
  ];
  const answers = await Promise.all(carts.map(reserve));
  expect(batches).toEqual([
    ["key-alone hash"],
    ["key-a hash", "key-b hash"],
    ["second hash"],
    ["key-a other"],
  ]);
  const replayed = answers.map((answer) => answer.ok && answer.replayed);
  expect(replayed.slice(0, 8)).toEqual([false, false, false, false, false, false, true, true]);
  expect((await reserve(cart("b"))).ok, "one that comes later").toBe(true);
  expect(batches).toHaveLength(5);
});

it("rejects the replays of a cart that could not be decided, and decides the next one", async () => {
  let isDown = true;
  const reserve = createReservationQueue(async (carts) => {
    if (isDown) throw new Error("the database is down");
    return carts.map(() => reserved);
  });
  const answers = await Promise.allSettled([reserve(cart("a")), reserve(cart("a"))]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isDown = false;
  expect(await reserve(cart("a"))).toEqual(reserved);
});
