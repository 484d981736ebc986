// P16c: the first 100 whole orders of a server that has just started on a migrated database nobody has used, with PostgreSQL,
// compared with the same once it is warm, by the processor time of an order. Each start is a pair.
import { setTimeout as sleep } from "node:timers/promises";
import { prepare, copyPrepared } from "../../support/server/prepared-folder.ts";
import { removeFolder, temporaryFolder } from "../../support/server/festival.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { pairedOf } from "../pairs.ts";
import { processorTime } from "../processor-time.ts";
import { openMeasuredShop, type MeasuredShop } from "../shop.ts";
import { costOf, openWholeOrders, partsOf, type Work } from "./whole-orders.ts";

const CLIENTS = 16;
const ORDERS = 100;
/** Until a further order costs no less. */
const WARMING_ORDERS = 600;

export async function measureFirstOrders({ pairs }: Settings): Promise<readonly Figure[]> {
  const prepared = await prepare();
  const first: Work[] = [];
  const warm: Work[] = [];
  try {
    // Nothing is dropped: what would warm up is what is measured.
    for (let start = 0; start < pairs; start++) {
      const dataDir = temporaryFolder();
      copyPrepared(prepared, dataDir);
      const shop = await openMeasuredShop({}, dataDir);
      try {
        await untilIdle(shop);
        const orders = await openWholeOrders(shop);
        first.push(await orders.slice(CLIENTS, { orders: ORDERS }));
        await orders.slice(CLIENTS, { orders: WARMING_ORDERS });
        warm.push(await orders.slice(CLIENTS, { orders: ORDERS }));
      } finally {
        await shop.close();
      }
    }
  } finally {
    removeFolder(prepared);
  }
  const paired = pairedOf(
    first.map((work, start) => ({ ours: costOf(work), against: costOf(warm[start]!) })),
  );
  return [
    compared(`processor time of the first ${ORDERS} orders, ${CLIENTS} clients`, "ms", "once warm", paired, {
      atMost: 1.5,
    }),
    { what: "its parts", ours: partsOf(first), against: partsOf(warm) },
  ];
}

/** Until the work of the start itself is done. */
async function untilIdle({ festival }: MeasuredShop): Promise<void> {
  for (let before = processorTime(festival); ;) {
    await sleep(1000);
    const now = processorTime(festival);
    if (now.server - before.server < 50) return;
    before = now;
  }
}
