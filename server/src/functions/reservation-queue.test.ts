import { describe, expect, it } from "vitest";
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import type { ReserveBatch } from "./queries.ts";
import { createReservationQueue } from "./reservation-queue.ts";

const cart = (user_id: string): Cart => ({
  user_id,
  idempotency_key: `key-${user_id}`,
  request_hash: "hash",
  items: [],
  attendees: [],
  buyer: { name: "", email: "", phone: "" },
  total_cents: 0,
});

const answerTo = ({ user_id }: Cart): Reservation => ({
  ok: true,
  order_id: `order-${user_id}`,
  total_cents: 0,
  hold_expires_at: "",
  status: "pending",
  replayed: false,
});

/** A database whose answers the test releases one batch at a time. */
function heldDatabase() {
  const batches: { carts: readonly Cart[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const reserveBatch: ReserveBatch = (carts) =>
    new Promise((resolve, fail) => {
      batches.push({ carts, answer: () => resolve(carts.map(answerTo)), fail });
    });
  return { batches, reserveBatch };
}

const people = (count: number) => Array.from({ length: count }, (_, index) => cart(`u${index}`));
const turn = () => new Promise((done) => setImmediate(done));

describe("the reservation queue", () => {
  it("sends a lone cart at once", async () => {
    const { batches, reserveBatch } = heldDatabase();
    const reservation = createReservationQueue(reserveBatch).reserve(cart("a"));
    expect(batches.map((batch) => batch.carts.length)).toEqual([1]);
    batches[0]!.answer();
    expect(await reservation).toEqual(answerTo(cart("a")));
  });

  it("fills the next batch while one is under way, with at most 64 carts", async () => {
    const { batches, reserveBatch } = heldDatabase();
    const queue = createReservationQueue(reserveBatch);
    const reservations = people(100).map((one) => queue.reserve(one));
    expect(queue.waiting).toBe(99);
    for (let index = 0; index < 3; index++) {
      batches[index]!.answer();
      await turn();
    }
    expect(batches.map((batch) => batch.carts.length)).toEqual([1, 64, 35]);
    expect(await Promise.all(reservations)).toEqual(people(100).map(answerTo));
  });

  it("keeps a buyer's second wish for the next batch, and lets a replay of the first share it", async () => {
    const { batches, reserveBatch } = heldDatabase();
    const queue = createReservationQueue(reserveBatch);
    const wishes = [
      cart("alone"),
      cart("a"),
      { ...cart("a"), idempotency_key: "second" },
      cart("a"),
      cart("b"),
    ];
    const reservations = wishes.map((wish) => queue.reserve(wish));
    for (let index = 0; index < 3; index++) {
      batches[index]!.answer();
      await turn();
    }
    const keys = batches.map((batch) => batch.carts.map((one) => one.idempotency_key));
    expect(keys).toEqual([["key-alone"], ["key-a", "key-a", "key-b"], ["second"]]);
    await Promise.all(reservations);
  });

  it("keeps two batches under way with two lanes", () => {
    const { batches, reserveBatch } = heldDatabase();
    const queue = createReservationQueue(reserveBatch, 2);
    for (const one of people(10)) void queue.reserve(one);
    expect(batches).toHaveLength(2);
    expect(queue.waiting).toBe(8);
  });

  it("lets one poisonous cart fail alone", async () => {
    const poison = Object.assign(new Error("invalid text"), { code: "22P05" });
    const queue = createReservationQueue(async (carts) => {
      if (carts.some((one) => one.user_id === "u5")) throw poison;
      return carts.map(answerTo);
    });
    const outcomes = await Promise.allSettled(people(20).map((one) => queue.reserve(one)));
    expect(outcomes.map((outcome) => outcome.status === "fulfilled")).toEqual(
      people(20).map((_, index) => index !== 5),
    );
  });

  it("tells everybody when the database is gone, and works again when it is back", async () => {
    let gone = true;
    const queue = createReservationQueue(async (carts) => {
      if (gone) throw Object.assign(new Error("terminating connection"), { code: "57P01" });
      return carts.map(answerTo);
    });
    const outcomes = await Promise.allSettled(people(5).map((one) => queue.reserve(one)));
    expect(outcomes.every((outcome) => outcome.status === "rejected")).toBe(true);
    gone = false;
    expect(await queue.reserve(cart("later"))).toEqual(answerTo(cart("later")));
  });
});
