// Keepers change their buckets over HTTP while the server and its database are killed at the steps of storing. After each crash
// everything that was acknowledged must be there, and after the sweeper has run, nothing else.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { createRandom, type Random } from "../../simulator/random.ts";
import { removeFolder, temporaryFolder } from "../../support/server/festival.ts";
import { query } from "../run.ts";
import { startVictim, type Victim } from "../server.ts";
import { createSteps, type Steps } from "../steps.ts";
import { type Audit, createAudit } from "./audit.ts";
import { createCalls } from "./calls.ts";
import { fuseBox } from "./fuse.ts";
import type { Change } from "./changes.ts";
import { createKeeper, type Keeper } from "./keeper.ts";
import { createPictures } from "./pictures.ts";
import { type S3Double, startS3 } from "../../../server/testing/storage/s3-double.ts";
import { drawStrike, type Killed } from "./strikes.ts";

export interface StorageCrashes {
  readonly kills: number;
  readonly seed: number;
  /** Where the bytes are. */
  readonly bytes: "disk" | "s3";
  readonly say?: (line: string) => void;
  /** An empty one by default. */
  readonly dataDir?: string;
}

export interface StorageOutcome {
  /** Empty when rows and bytes never disagreed. */
  readonly faults: readonly string[];
  /** By what was killed; "start" is a server killed while it started after another kill. */
  readonly kills: Readonly<Record<Killed | "start", number>>;
  /** By the step at which the kill came. */
  readonly steps: Readonly<Record<string, number>>;
  /** Acknowledged changes of objects and buckets. */
  readonly changes: number;
  /** Objects that were read and compared after a crash, each time they were. */
  readonly compared: number;
  /** Uploads in parts that continued after a crash had interrupted them. */
  readonly resumed: number;
  /** What the sweeper removed. */
  readonly swept: number;
}

const KEEPERS = 6;
const MOST_CHANGES_A_ROUND = 30;
/** The comparison asks S3 for 256 lists. */
const SWEEPS_EVERY = { disk: 1, s3: 10 };

export async function crashStorage(options: StorageCrashes): Promise<StorageOutcome> {
  const { seed, bytes, dataDir = temporaryFolder() } = options;
  const directory = mkdtempSync(join(tmpdir(), "festival-s3-"));
  const s3 = bytes === "s3" ? await startS3(directory) : undefined;
  const victim = await startVictim(dataDir, { ...fuseBox(dataDir), ...(s3 ? settingsOf(s3) : {}) });
  try {
    const run = createRun({ ...options, dataDir, victim, s3, directory, random: createRandom(seed) });
    return await run();
  } finally {
    await victim.stop().catch(() => {}); // what went wrong before says more
    victim.remove();
    await s3?.close();
    removeFolder(directory);
  }
}

const settingsOf = ({ settings }: S3Double) => ({
  ...{ S3_ENDPOINT: settings.endpoint, S3_BUCKET: settings.bucket, S3_REGION: settings.region },
  ...{ S3_KEY: settings.key, S3_SECRET: settings.secret },
});

interface Run extends StorageCrashes {
  readonly dataDir: string;
  readonly victim: Victim;
  readonly s3: S3Double | undefined;
  readonly directory: string;
  readonly random: Random;
}

function createRun(run: Run): () => Promise<StorageOutcome> {
  const { victim, random, say = () => {} } = run;
  const faults: string[] = [];
  const steps = createSteps<Change>();
  const sql = (text: string) => query(victim, text);
  const audit = createAudit(
    run.dataDir,
    sql,
    run.s3 && { settings: run.s3.settings, directory: run.directory },
  );
  const keepers = openKeepers(run, steps, (text) => faults.push(text));
  const killed = { node: 0, postgres: 0, power: 0, start: 0 };
  const struck: Record<string, number> = {};
  const total = () => Object.values(killed).reduce((sum, one) => sum + one, 0);
  const sum = (of: (keeper: Keeper) => number) => keepers.reduce((all, keeper) => all + of(keeper), 0);
  let [compared, swept, deaths] = [0, 0, 0];

  async function recover(target: Killed): Promise<void> {
    // A server gives its database up when it dies five times within five minutes.
    const alone = target === "postgres" && ++deaths < 4 && random.chance(0.5);
    if (alone) return victim.recover("backend");
    deaths = 0;
    if (!random.chance(0.15)) return victim.recover(target);
    await victim.stumble(100 + random.below(1200));
    killed.start += 1;
  }

  async function look(all: boolean): Promise<void> {
    const known = new Map(
      await Promise.all(keepers.map(async (keeper) => [keeper.bucket, await keeper.look()] as const)),
    );
    for (const contents of known.values()) compared += contents?.size ?? 0;
    faults.push(...(await audit.compare(known)));
    if (all || total() % SWEEPS_EVERY[run.bytes] === 0) swept += await sweep(audit, victim, all, faults);
  }

  async function round(): Promise<void> {
    const strike = drawStrike({ ...run, steps });
    let over = false;
    const busy = keepers.map(async (keeper) => {
      for (let n = 0; n < MOST_CHANGES_A_ROUND && !over; n++) if (!(await keeper.act())) return;
    });
    const acting = Promise.all(busy).then(() => (over = true));
    const isStruck = await strike.falls(() => over);
    over = true;
    await acting;
    if (!isStruck) return;
    killed[strike.target] += 1;
    struck[strike.name] = (struck[strike.name] ?? 0) + 1;
    await recover(strike.target);
    await look(false);
    say(`${total()} kills, ${sum(({ changes }) => changes)} changes; ${strike.target} at "${strike.name}"`);
  }

  return async () => {
    while (total() < run.kills && faults.length === 0) await round();
    await look(true);
    const left = await victim.stop();
    faults.push(...left.map((process) => `left running: ${process}`));
    return {
      ...{ faults, kills: killed, steps: struck, compared, swept },
      ...{ changes: sum(({ changes }) => changes), resumed: sum(({ uploads }) => uploads.resumed) },
    };
  };
}

function openKeepers({ victim, seed }: Run, steps: Steps<Change>, fault: (text: string) => void): Keeper[] {
  const ask = createCalls(() => victim.status);
  const pictures = createPictures();
  return Array.from({ length: KEEPERS }, (_, at) =>
    createKeeper({
      ...{ ask, pictures, fault, bucket: `keeper-${at}`, random: createRandom(seed * 1000 + at) },
      reached: (change) => steps.reached(change),
    }),
  );
}

async function sweep(audit: Audit, victim: Victim, all: boolean, faults: string[]): Promise<number> {
  const { removed, faults: found } = await audit.sweep(victim.status.DB_URL!, all);
  faults.push(...found);
  return removed;
}
