// P7: reservations while organizers watch two live dashboards, compared with the same while nobody watches. A slice counts
// only if every order reached every dashboard.
import { setTimeout as sleep } from "node:timers/promises";
import { openDashboards } from "../back-office/dashboards.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";
import { booksOf, openReservations } from "./reservations.ts";
import { openMeasuredShop } from "../shop.ts";

const CLIENTS = 32;
const DASHBOARDS = 2;
const LATEST_MS = 10_000;

export async function measureWatchedSale({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop();
  const sale = openReservations(shop, CLIENTS);

  async function watched(): Promise<number> {
    const dashboards = await openDashboards(shop.festival, DASHBOARDS);
    try {
      const before = await booksOf(shop);
      const rate = await sale.slice(seconds);
      const placed = (await booksOf(shop)).orders - before.orders;
      for (const deadline = Date.now() + LATEST_MS; dashboards.ordersSeen() < placed; await sleep(20)) {
        if (Date.now() > deadline) {
          throw new WrongAnswer(`Of ${placed} orders a dashboard heard of ${dashboards.ordersSeen()}.`);
        }
      }
      return rate;
    } finally {
      await dashboards.close();
    }
  }

  try {
    const paired = await measureInTurn(watched, () => sale.slice(seconds), pairs);
    return [compared("reservations with two dashboards live", "/s", "with none", paired, { atLeast: 0.95 })];
  } finally {
    await shop.close();
  }
}
