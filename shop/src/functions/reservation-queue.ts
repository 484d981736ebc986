// Many buyers want the same few rows, and one statement for 64 carts locks them once. A batch has one cart of each buyer: their
// second one waits for the next batch, where it replaces the first, and where the first one's wrong promo code counts. Replays of
// a cart that is waiting or being decided are no carts of their own: they get its answer.
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import { batched, onePer } from "../../../server/src/postgres/batched.ts";

/** Decides all carts in one transaction. Returns the answers in the carts' order. */
type ReserveBatch = (carts: readonly Cart[]) => Promise<readonly Reservation[]>;

/** `reserve_orders` accepts no more in one call. */
const MOST_CARTS = 64;

/** Rejects when the database cannot answer; the same idempotency key may be retried then. */
export function createReservationQueue(reserveBatch: ReserveBatch): (cart: Cart) => Promise<Reservation> {
  const decide = batched({
    run: reserveBatch,
    most: MOST_CARTS,
    admission: onePer(({ user_id }) => user_id),
  });
  const underWay = new Map<string, Promise<Reservation>>();
  return (cart) => {
    const { user_id: buyer, idempotency_key: key, request_hash: hash, place } = cart;
    const sameCart = JSON.stringify([buyer, key, hash, place]);
    const known = underWay.get(sameCart);
    if (known) return known.then(asReplay);
    const answer = decide(cart).finally(() => underWay.delete(sameCart));
    underWay.set(sameCart, answer);
    return answer;
  };
}

const asReplay = (answer: Reservation): Reservation => (answer.ok ? { ...answer, replayed: true } : answer);
