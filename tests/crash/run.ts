// People buy, pay, wait for tickets and are refunded over HTTP while the server and its database are killed at the steps of
// their orders. In the end everything is brought to rest and compared with what people were promised.
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { shop as buy, type Promised } from "../promise/shopper.ts";
import { createRandom, type Random } from "../simulator/random.ts";
import { type Api, createApi } from "./api.ts";
import { createCarts } from "./carts.ts";
import { reckon } from "./reckoning.ts";
import { BACK_WITHIN_MS, startVictim, type Target, TARGETS, type Victim } from "./server.ts";
import { createSteps, type Step, type Steps, STEPS } from "./steps.ts";

export interface Crashes {
  readonly kills: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
  /** An empty one by default. */
  readonly dataDir?: string;
}

export interface Outcome {
  /** Empty when every promise was kept. */
  readonly faults: readonly string[];
  /** By what was killed; "start" is a server killed while it started after another kill. */
  readonly kills: Readonly<Record<Target | "start", number>>;
  /** By the step at which the kill came. */
  readonly steps: Readonly<Partial<Record<Step, number>>>;
  readonly buyers: number;
  /** Orders acknowledged to a buyer, and those whose tickets were. */
  readonly held: number;
  readonly tickets: number;
}

const SHOPPERS = 8;
const ACCOUNTS = 16;
const JOBS = ["drain-outbox", "expire-holds", "reconcile-payments"];

export async function killAndReckon({ kills, seed, say = () => {}, dataDir }: Crashes): Promise<Outcome> {
  const random = createRandom(seed);
  const steps = createSteps();
  const victim = await startVictim(dataDir);
  try {
    const sql = (text: string) => query(victim, text);
    await sql(`update public.shop_settings set hold_duration = '5 seconds', max_tickets_per_buyer = 500,
      max_orders_per_buyer = 1000000, max_orders_per_address = 1000000, address_hold_share = 1`);
    const api = createApi(() => victim.status, steps);
    const crowd = await openCrowd(api, victim, random, sql, seed);
    const strikes = await strikeAtSteps({ kills, random, steps, victim, sql, crowd, say });
    const promised = await crowd.goHome();
    const faults = await reckon(sql, api.job, promised);
    const left = await victim.stop();
    return {
      faults: [...faults, ...left.map((process) => `left running: ${process}`)],
      ...strikes,
      buyers: promised.length,
      held: promised.filter(({ orderId }) => orderId !== undefined).length,
      tickets: promised.filter(({ outcome }) => outcome === "tickets").length,
    };
  } finally {
    await victim.stop();
    victim.remove();
  }
}

interface Crowd {
  readonly served: number;
  /** Nobody new arrives. Resolves when everybody has an answer. */
  goHome(): Promise<Promised[]>;
}

async function openCrowd(
  api: Api,
  victim: Victim,
  random: Random,
  sql: (text: string) => Promise<Record<string, unknown>[]>,
  seed: number,
): Promise<Crowd> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    email: `buyer${index}@people.test`,
    password: `the long password of buyer ${index}`,
  }));
  for (const account of accounts) {
    const { status } = await api.addAccount(account);
    if (status !== 200) throw new Error(`no account for ${account.email}: ${status}`);
  }
  const people = accounts.map((account) => api.person(account));
  const admin = api.person({
    email: victim.status.ADMIN_EMAIL!,
    password: victim.status.ADMIN_PASSWORD!,
  });
  const carts = createCarts(
    random,
    await sql(`select id, name, price::float, 'ticket' as type from public.ticket_types
      union all select id, type_name, price::float, 'parking' from public.parking_passes order by price`),
  );
  const patience = { attempts: 200, pause: () => sleep(50 + random.below(250)) };
  const promised: Promised[] = [];
  let open = true;
  let orders = 0;

  async function shopper(): Promise<void> {
    while (open) {
      const person = people.shift()!;
      const result = await buy(person, carts.plan(`order-${orders++}-of-${seed}`), patience);
      promised.push(result);
      if (result.outcome === "tickets" && random.chance(0.2))
        await admin.rpc("refund_order", { p_order_id: result.orderId });
      if (random.chance(0.1)) person.signOut();
      people.push(person);
    }
  }
  /** More often than the server's own schedule, so that a kill hits it at work. */
  async function job(name: string): Promise<void> {
    while (open) {
      await api.job(name);
      await sleep(200 + random.below(600));
    }
  }
  const busy = [...Array.from({ length: SHOPPERS }, shopper), ...JOBS.map(job)];
  return {
    get served() {
      return promised.length;
    },
    async goHome() {
      open = false;
      await Promise.all(busy);
      return promised;
    },
  };
}

interface Strikes {
  readonly kills: number;
  readonly random: Random;
  readonly steps: Steps;
  readonly victim: Victim;
  readonly sql: (text: string) => Promise<unknown>;
  readonly crowd: Crowd;
  readonly say: (line: string) => void;
}

async function strikeAtSteps(parts: Strikes): Promise<Pick<Outcome, "kills" | "steps">> {
  const { random, steps, victim, sql, crowd, say } = parts;
  const count = { node: 0, postgres: 0, power: 0, backend: 0, start: 0 };
  const struck: Partial<Record<Step, number>> = {};
  const total = () => Object.values(count).reduce((sum, one) => sum + one, 0);
  while (total() < parts.kills) {
    const target = random.pick(TARGETS)!;
    const step = random.pick(STEPS)!;
    if (!(await steps.next(step, 2_000))) continue;
    await sleep(random.below(40));
    if (!victim.strike(target, random)) continue;
    count[target] += 1;
    struck[step] = (struck[step] ?? 0) + 1;
    if (target !== "backend" && random.chance(0.15)) {
      await victim.stumble(100 + random.below(1200));
      count.start += 1;
    } else await victim.recover(target);
    // Rate limits are not what is tested here.
    await sql("delete from public.rate_limits");
    say(`${total()} kills, ${crowd.served} buyers; ${target} at "${step}"`);
  }
  return { kills: count, steps: struck };
}

/** Opens a new connection each time and retries: the database may still be recovering. */
export async function query(victim: Victim, text: string): Promise<Record<string, unknown>[]> {
  const deadline = Date.now() + BACK_WITHIN_MS;
  for (;;) {
    const client = new Client({ connectionString: victim.status.DB_URL });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
