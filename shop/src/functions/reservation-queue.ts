// Many buyers want the same few rows, and one statement for 64 carts locks them once. Replays of one cart share a batch. A
// buyer's second cart waits for the next batch, where it replaces the first, and where the first one's wrong promo code counts.
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import { batched } from "../../../server/src/postgres/batched.ts";
import type { ReserveBatch } from "./queries.ts";

/** `reserve_orders` accepts no more in one call. */
const MOST_CARTS = 64;

/** Rejects when the database cannot answer; the same idempotency key may be retried then. */
export function createReservationQueue(reserveBatch: ReserveBatch): (cart: Cart) => Promise<Reservation> {
  return batched({ run: reserveBatch, most: MOST_CARTS, admission: oneWishPerBuyer });
}

function oneWishPerBuyer(): (cart: Cart) => boolean {
  const wishes = new Map<string, string>();
  return ({ user_id: buyer, idempotency_key: key, request_hash: hash }) => {
    const wish = `${key} ${hash}`;
    if ((wishes.get(buyer) ?? wish) !== wish) return false;
    wishes.set(buyer, wish);
    return true;
  };
}
