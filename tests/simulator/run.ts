// One seeded run: 64 buyers, late and lost answers, declined cards, crashes, and at the end a quiet shop that is sold out.
import { Client } from "pg";
import { faultsInBooks, type ReadBooks } from "./books.ts";
import { createCarts } from "./carts.ts";
import { createDoor } from "./door.ts";
import { type Ending, type Lanes, openLanes } from "./lanes.ts";
import { createOrganizers } from "./organizers.ts";
import { createProvider, type Provider } from "./provider.ts";
import { createRandom } from "./random.ts";
import { Quiet } from "./settle.ts";
import { openSimulatedShop, type SimulatedShop } from "./shop.ts";
import { createWorks } from "./works.ts";

const STEPS = 160;
const LANES = 4;

export interface Run {
  /** Empty when all is well. */
  readonly faults: readonly string[];
  /** What was done, step by step. The seed decides it, except for the order of several that wait for one lock. */
  readonly steps: readonly string[];
}

export interface Simulator {
  run(seed: number): Promise<Run>;
  /** For proving that the check can fail: changes the tables directly and checks again. */
  mutate(sql: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Takes over a migrated database. */
export async function openSimulator(url: string): Promise<Simulator> {
  const monitor = new Client({ connectionString: url });
  monitor.on("error", () => {});
  await monitor.connect();
  const lanes = await openLanes(url, LANES, monitor);
  const shop = await openSimulatedShop(url, monitor);
  return {
    async run(seed) {
      const steps: string[] = [];
      try {
        await shop.empty();
        return { faults: await play(seed, lanes, monitor, shop, steps), steps };
      } catch (error) {
        await lanes.clear();
        return { faults: [`step ${steps.length}: ${(error as Error).message}`], steps };
      }
    },
    async mutate(sql) {
      await monitor.query("begin");
      try {
        await monitor.query(sql);
        return await faultsInBooks(readOn(monitor), true);
      } finally {
        await monitor.query("rollback");
      }
    },
    async close() {
      await lanes.close();
      await shop.close();
      await monitor.end();
    },
  };
}

/** Prepared, because planning takes longer than reading so few rows. */
const readOn = (client: Client): ReadBooks => {
  return async (text) => (await client.query({ name: `books ${text.length}`, text })).rows;
};

async function play(
  seed: number,
  lanes: Lanes,
  monitor: Client,
  shop: SimulatedShop,
  steps: string[],
): Promise<string[]> {
  const random = createRandom(seed);
  const provider = createProvider();
  const carts = createCarts(random, shop, `seed-${seed}`);
  const works = createWorks(
    random,
    provider,
    shop,
    carts,
    (acknowledged) => createDoor(random, shop, `seed-${seed}`, acknowledged),
    (errands) => createOrganizers(random, provider, shop, `seed-${seed}`, errands),
  );
  const all = Array.from({ length: lanes.count }, (_, lane) => lane);

  const endings: readonly Ending[] = ["answered", "answered", "answered", "answered", "lost", "aborted"];
  const finish = async (lane: number, how: Ending) => {
    steps.push(`${lane} ${await lanes.end(lane, how)}`);
  };
  for (let step = 0; step < STEPS; step++) {
    const lane = random.below(lanes.count);
    if (random.chance(0.1)) {
      const buyer = random.pick(provider.intents("open"));
      if (buyer) provider.pay(buyer);
    }
    if (lanes.busy(lane)) {
      await finish(lane, random.pick(endings)!);
    } else {
      const work = works.next();
      steps.push(`${lane} ${work.name}`);
      await lanes.begin(lane, work);
    }
  }
  while (all.some((lane) => lanes.busy(lane))) {
    for (const lane of all) if (lanes.busy(lane)) await finish(lane, "answered");
  }

  const faults = await faultsInBooks(readOn(monitor), false);
  const quiet = new Quiet(monitor, provider, shop, carts);
  await quiet.settle();
  await quiet.refundElsewhere();
  faults.push(...(await faultsInBooks(readOn(monitor), false)));
  await quiet.settle();
  await quiet.sellOut();
  faults.push(...(await faultsInBooks(readOn(monitor), true)));
  faults.push(...(await faultsOutside(monitor, provider, works.acknowledged)));
  return faults;
}

/** What the tables alone cannot show: what buyers were promised, what the provider keeps, and whether all is sold. */
async function faultsOutside(
  monitor: Client,
  provider: Provider,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const { rows: left } = await monitor.query<{ name: string }>(
    `select name from public.ticket_types where current_inventory > 0 and not (is_vip
      and exists (select from public.parking_passes where is_general and current_inventory = 0))
      and not exists (select from public.festival where status = 'cancelled')`,
  );
  const faults = left.map(({ name }) => `not sold out: ${name}`);

  const { rows } = await monitor.query<{ id: string; payment_intent_id: string | null; worth: number }>(
    `select o.id, o.payment_intent_id, case when o.status in ('confirmed', 'completed') then (o.total_amount - o.fee_refunded - (
        select sum(i.refunded_amount) from public.order_items i where i.order_id = o.id)) * 100 when o.cancel_reason = 'refunded' then (o.fee_amount - o.fee_refunded) * 100 else 0 end::integer as worth
      from public.orders o`,
  );
  const orders = new Map(rows.map((order) => [order.id, order]));
  for (const id of acknowledged) if (!orders.has(id)) faults.push(`an acknowledged order is gone: ${id}`);
  for (const intent of provider.intents()) {
    const order = orders.get(intent.orderId);
    const worth = order?.payment_intent_id === intent.id ? order.worth : 0;
    const kept = provider.kept(intent);
    if (kept !== worth) faults.push(`the provider keeps ${kept} of ${intent.id}, the tickets cost ${worth}`);
  }
  return [...faults, ...(await faultsInAccounts(monitor, provider))];
}

/** The accountant's report compared with this provider's books. */
async function faultsInAccounts(monitor: Client, provider: Provider): Promise<string[]> {
  const transactions = provider.transactions().map(({ category, aboutId, intentId, cents }) => ({
    id: `txn_${category}_${aboutId}`,
    category,
    about_id: aboutId,
    payment_intent_id: intentId,
    cents,
    fee_cents: 0,
    currency: "usd",
    status: "available",
    created_at: new Date(),
  }));
  await monitor.query({
    name: "keep transactions",
    text: "select public.keep_provider_transactions($1)",
    values: [JSON.stringify(transactions)],
  });
  const { rows } = await monitor.query<{ fault: string }>({
    name: "accounts",
    text: `select format('the accountant reads %s: %s of %s', state, count(*), entry) as fault
      from public.account_lines(null, null) where state <> 'matched' group by state, entry`,
  });
  return rows.map(({ fault }) => fault);
}
