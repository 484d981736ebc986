// P1: signed-in reservations over HTTP by 32 clients compared with the naive purchase at its best number of connections, one hot
// row each. The naive one has it easier: no HTTP, no sign-in, no limits, no idempotency key. Measured twice: the reservation
// alone, with a provider that costs nothing here, as the naive purchase has none; and, against one statement, the whole call
// with the sandbox on the same cores and disk.
import { join } from "node:path";
import { compared, type Figure, type Goal, type Settings } from "../figures.ts";
import { openNaiveShop, type Way } from "./naive-purchase.ts";
import { measureInTurn } from "../pairs.ts";
import { openReservations } from "./reservations.ts";
import { openMeasuredShop } from "../shop.ts";

const CLIENTS = 32;
export const INSTANT_PROVIDER = {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, "instant-provider.ts")}`,
};

/** Seconds for which each number of connections is tried. */
const TRY_SHARE = 1 / 5;

export async function measurePurchases(settings: Settings): Promise<readonly Figure[]> {
  return [
    ...(await againstNaive("reservation", settings, INSTANT_PROVIDER, {
      "one statement": { atLeast: 1 },
      "four statements": { atLeast: 2.5 },
    })),
    ...(await againstNaive(
      "the same with an intent of the sandbox",
      settings,
      {},
      { "one statement": undefined },
    )),
  ];
}

/** `ways` are compared with, each with its goal if it has one. */
async function againstNaive(
  what: string,
  { pairs, seconds }: Settings,
  env: Readonly<Record<string, string>>,
  ways: Readonly<Partial<Record<Way, Goal | undefined>>>,
): Promise<Figure[]> {
  const shop = await openMeasuredShop(env);
  try {
    const ours = openReservations(shop, CLIENTS);
    const naive = await openNaiveShop(shop, seconds * TRY_SHARE);
    const figures: Figure[] = [];
    for (const [way, goal] of Object.entries(ways) as [Way, Goal | undefined][]) {
      const paired = await measureInTurn(
        () => ours.slice(seconds),
        () => naive.slice(way, seconds),
        pairs,
      );
      figures.push(compared(what, "/s", `naive, ${way}, ${naive.best(way)}`, paired, goal));
    }
    await naive.close();
    return figures;
  } finally {
    await shop.close();
  }
}
