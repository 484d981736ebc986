// Runs attacks one after the other, each for some seconds, while honest people do their business: how long those waited, what they were refused, and the
// server's memory, before, during and after.
import { setTimeout as sleep } from "node:timers/promises";
import { type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import type { Attack, Target } from "./attacks/attack.ts";
import { loggedErrors, isHealthy, residentMegabytes, startTarget } from "./fire.ts";
import { type HonestPeople, startHonest } from "./honest.ts";
import { account } from "./world.ts";

const ACCOUNTS = 10;
const SECONDS = { before: 4, during: 10, after: 4 };
/** Refusals for lack of capacity, which attackers may get (docs/OPERATING.md); 546 is a worker's. */
const DOCUMENTED = /^(?:[1-4]|503|504|546)/;

export type Phase = keyof typeof SECONDS;

export interface Attacked {
  readonly attack: string;
  readonly attackers: number;
  /** How often the attackers' requests ended in which way. */
  readonly endings: Readonly<Record<string, number>>;
  /** The longest wait in milliseconds by purpose. */
  readonly waited: Readonly<Record<Phase, Readonly<Record<string, number>>>>;
  readonly megabytes: Readonly<Record<"before" | "most" | "after", number>>;
  readonly faults: readonly string[];
}

export async function attackAll(
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<readonly Attacked[]> {
  const { festival, database, end } = await startTarget();
  try {
    const attackers = await Promise.all(Array.from({ length: ACCOUNTS }, () => account(festival)));
    const target = { festival, database, attackers };
    const { rows } = await database.query<CatalogItem>(GENERAL_ADMISSION);
    const honest = await startHonest({
      status: festival.status,
      ...(await account(festival)),
      buys: rows[0]!,
    });
    await sleep(SECONDS.before * 1000); // the first calls load what they need
    const attacked: Attacked[] = [];
    for (const attack of attacks) {
      attacked.push(await run(attack, target, honest));
      say(JSON.stringify(attacked.at(-1)));
      if (!(await isHealthy(festival))) break;
    }
    await honest.leave();
    return attacked;
  } finally {
    await end();
  }
}

async function run(attack: Attack, target: Target, honest: HonestPeople): Promise<Attacked> {
  const { festival } = target;
  const logged = festival.output().length;
  const faults: string[] = [];
  const phase = async <T>(name: Phase, whatHappens: () => Promise<T>) => {
    await honest.waits();
    const result = await whatHappens();
    const waits = Object.entries(await honest.waits());
    faults.push(
      ...waits.flatMap(([want, { refused }]) => refused.map((answer) => `${want} ${name} it: ${answer}`)),
    );
    return { result, waited: Object.fromEntries(waits.map(([want, { worst }]) => [want, worst])) };
  };
  const quiet = (seconds: number) => () => sleep(seconds * 1000);
  await attack.prepare?.(target);
  const before = await phase("before", quiet(SECONDS.before));
  const megabytes = { before: residentMegabytes(festival.pid), most: 0, after: 0 };
  const watching = setInterval(() => {
    megabytes.most = Math.max(megabytes.most, residentMegabytes(festival.pid));
  }, 100);
  const during = await phase("during", () => attackFor(SECONDS.during, attack, target));
  clearInterval(watching);
  const after = await phase("after", quiet(SECONDS.after));
  const endings = during.result;
  megabytes.after = residentMegabytes(festival.pid);
  faults.push(
    ...missed(attack, endings),
    ...((await attack.check?.(target)) ?? []),
    ...((await isHealthy(festival)) ? [] : ["the server is not healthy"]),
    ...loggedErrors(festival.output().slice(logged)),
  );
  return {
    attack: attack.name,
    attackers: attack.attackers,
    endings,
    waited: { before: before.waited, during: during.waited, after: after.waited },
    megabytes,
    faults: counted(faults),
  };
}

/** Returns how often the attackers' requests ended in which way; the last ones begin within the time. */
async function attackFor(seconds: number, { attackers, act }: Attack, target: Target) {
  const endings: Record<string, number> = {};
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: attackers }, async (_, n) => {
      while (performance.now() < until) {
        const ending = await act(target, n);
        endings[ending] = (endings[ending] ?? 0) + 1;
      }
    }),
  );
  return endings;
}

/** Endings that the attack must have had, and those it must not. */
function missed({ must }: Attack, endings: Readonly<Record<string, number>>): readonly string[] {
  return [
    ...must
      .filter((wanted) => !Object.keys(endings).some((ending) => wanted.test(ending)))
      .map((wanted) => `no attacker got ${wanted}`),
    ...Object.keys(endings)
      .filter((ending) => /^\d/.test(ending) && !DOCUMENTED.test(ending))
      .map((ending) => `attackers got "${ending}"`),
  ];
}

/** Each once, with how often it occurred: after a server's end, every request fails alike. */
function counted(faults: readonly string[]): readonly string[] {
  return [...Map.groupBy(faults, (fault) => fault)].map(([fault, { length }]) =>
    length === 1 ? fault : `${fault} (${length} times)`,
  );
}
