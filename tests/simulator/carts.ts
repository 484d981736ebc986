// What buyers want, drawn from the seed: new carts, repeated ones, and now and then a different one under a used
// key.
import type { Random } from "./random.ts";
import { feeCents } from "contract/shop/sale";
import { fee, type PromoCode, type SimulatedShop } from "./shop.ts";

interface Units {
  readonly general: number;
  readonly vip: number;
  readonly parking: number;
}

type Cart = Record<string, unknown> & { user_id: string; idempotency_key: string };

export interface Answer {
  readonly ok: boolean;
  readonly order_id: string;
  readonly total_cents: number;
}

export interface Carts {
  cart(buyer: string, units: Units, promo?: PromoCode): Cart;
  /** At most one cart for each buyer. */
  batch(): Cart[];
}

/** `prefix` keeps the keys of runs apart. */
export function createCarts(random: Random, shop: SimulatedShop, prefix: string): Carts {
  const last = new Map<string, Cart>();
  let keys = 0;

  function cart(buyer: string, { general, vip, parking }: Units, promo?: PromoCode): Cart {
    const off = promo?.off(general * shop.general.cents, vip * shop.vip.cents) ?? 0;
    const price = general * shop.general.cents + vip * shop.vip.cents + parking * shop.parking.cents - off;
    const line = (type: string, id: string, quantity: number) =>
      quantity > 0 ? [{ type, id, quantity }] : [];
    return {
      user_id: buyer,
      idempotency_key: `${prefix}-${keys++}`,
      request_hash: "hash",
      items: [
        ...line("ticket", shop.general.id, general),
        ...line("ticket", shop.vip.id, vip),
        ...line("parking", shop.parking.id, parking),
      ],
      attendees: Array.from({ length: general + vip }, () => ({ name: "Guest", email: "guest@people.test" })),
      buyer: { name: "Buyer", email: "buyer@people.test", phone: "713-555-0100" },
      total_cents: price + feeCents(fee, price, general + vip),
      ...(promo && { promo_code: promo.code }),
    };
  }

  function nextCart(buyer: string): Cart {
    const before = last.get(buyer);
    if (before && random.chance(0.25)) return before;
    if (before && random.chance(0.03)) return { ...before, request_hash: "another" };
    const vip = random.chance(0.2) ? 1 + random.below(2) : 0;
    const general = vip > 0 && random.chance(0.5) ? 0 : 1 + random.below(3);
    const parking = vip === 0 && random.chance(0.3) ? 1 : 0;
    const promo = random.chance(0.3) ? random.pick(shop.promoCodes) : undefined;
    const made = cart(buyer, { general, vip, parking }, promo);
    last.set(buyer, made);
    return made;
  }

  return {
    cart,
    batch() {
      const batch = new Map<string, Cart>();
      for (let count = 1 + random.below(8); count > 0; count--) {
        const buyer = random.pick(shop.buyers)!;
        batch.set(buyer, nextCart(buyer));
      }
      return [...batch.values()];
    },
  };
}
