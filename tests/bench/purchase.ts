// P1: signed-in reservations over HTTP by 32 clients against the naive purchase by 32 connections, one hot row each. The naive
// one has the easier part: no HTTP, no sign-in, no limits, no idempotency key, no intent to pay with.
import { compared, type Figure } from "./figures.ts";
import { openNaiveShop } from "./naive-purchase.ts";
import { measureInTurn } from "./pairs.ts";
import { openReservations } from "./reservations.ts";
import type { Settings } from "./rows.ts";
import { openShop } from "./shop.ts";

const CLIENTS = 32;

export async function measurePurchases({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openShop();
  try {
    const ours = openReservations(shop, CLIENTS);
    const naive = await openNaiveShop(shop, CLIENTS);
    const paired = await measureInTurn(
      () => ours.slice(seconds),
      () => naive.slice(seconds),
      pairs,
    );
    await naive.close();
    return [
      compared("reservation with its payment intent", "/s", "naive, four statements", paired, { atLeast: 5 }),
    ];
  } finally {
    await shop.close();
  }
}
