// P1: signed-in reservations over HTTP by 32 clients compared with the naive purchase over 32 connections, one hot row each.
// The naive one has it easier: no HTTP, no sign-in, no limits, no idempotency key. Measured twice: the reservation alone, with
// a provider that costs nothing here, as the naive purchase has none; and the whole call, with the sandbox on the same cores
// and disk.
import { join } from "node:path";
import { compared, type Figure, type Settings } from "../figures.ts";
import { openNaiveShop } from "./naive-purchase.ts";
import { measureInTurn } from "../pairs.ts";
import { openReservations } from "./reservations.ts";
import { openMeasuredShop } from "../shop.ts";

const CLIENTS = 32;
export const INSTANT_PROVIDER = {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, "instant-provider.ts")}`,
};

export async function measurePurchases(settings: Settings): Promise<readonly Figure[]> {
  return [
    await againstNaive("reservation", settings, INSTANT_PROVIDER),
    await againstNaive("the same with an intent of the sandbox", settings, {}),
  ];
}

async function againstNaive(
  what: string,
  { pairs, seconds }: Settings,
  env: Readonly<Record<string, string>>,
): Promise<Figure> {
  const shop = await openMeasuredShop(env);
  try {
    const ours = openReservations(shop, CLIENTS);
    const naive = await openNaiveShop(shop, CLIENTS);
    const paired = await measureInTurn(
      () => ours.slice(seconds),
      () => naive.slice(seconds),
      pairs,
    );
    await naive.close();
    return compared(what, "/s", "naive, four statements", paired, { atLeast: 5 });
  } finally {
    await shop.close();
  }
}
