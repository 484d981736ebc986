// Natural batching: many buyers want the same few rows, and one statement for 64 carts locks them once. While a batch is
// with the database the next one fills; alone, a cart does not wait. Hides that a cart shares its transaction with others.
// Replays of one cart share a batch; a second wish of the same buyer waits for the next, where it replaces the first.
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import type { ReserveBatch } from "./queries.ts";
import { isSplittable } from "./splitting.ts";

/** `reserve_orders` takes no more in one call. */
const MOST_CARTS = 64;

interface Waiting {
  readonly cart: Cart;
  readonly settle: (reservation: Reservation) => void;
  readonly fail: (error: unknown) => void;
}

export interface ReservationQueue {
  /** Rejects when the database cannot answer; the same idempotency key may be tried again then. */
  reserve(cart: Cart): Promise<Reservation>;
  /** Carts not yet with the database. */
  readonly waiting: number;
}

/** `lanes` is how many batches may be with the database at once. */
export function createReservationQueue(reserveBatch: ReserveBatch, lanes: 1 | 2 = 1): ReservationQueue {
  const queue: Waiting[] = [];
  let busyLanes = 0;

  async function work(): Promise<void> {
    busyLanes += 1;
    while (queue.length > 0) await decide(takeBatch(queue));
    busyLanes -= 1;
  }

  async function decide(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await reserveBatch(batch.map(({ cart }) => cart));
      if (answers.length !== batch.length) throw new Error("reserve_orders must answer every cart");
      batch.forEach(({ settle }, index) => settle(answers[index]!));
    } catch (error) {
      if (batch.length === 1 || !isSplittable(error)) {
        for (const { fail } of batch) fail(error);
        return;
      }
      // The transaction was rolled back whole: whoever caused it fails alone, the others are decided after all.
      for (const one of batch) await decide([one]);
    }
  }

  return {
    reserve: (cart) =>
      new Promise((settle, fail) => {
        queue.push({ cart, settle, fail });
        if (busyLanes < lanes) void work();
      }),
    get waiting() {
      return queue.length;
    },
  };
}

/** First come first served, but for the second wishes of a buyer, which keep their place for the next batch. */
function takeBatch(queue: Waiting[]): Waiting[] {
  const keys = new Map<string, string>();
  const batch: Waiting[] = [];
  const later: Waiting[] = [];
  let looked = 0;
  while (batch.length < MOST_CARTS && looked < queue.length) {
    const one = queue[looked++]!;
    const { user_id: buyer, idempotency_key: key } = one.cart;
    if ((keys.get(buyer) ?? key) === key) {
      keys.set(buyer, key);
      batch.push(one);
    } else {
      later.push(one);
    }
  }
  queue.splice(0, looked, ...later);
  return batch;
}
