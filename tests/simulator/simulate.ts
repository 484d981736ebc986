// `npm run simulate -- --runs 10000 [--seed N]`: as many seeded runs on a PostgreSQL of its own. Stops at the first fault and
// says which seed shows it again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startCluster } from "../../server/src/postgres/cluster.ts";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { migrate } from "../../server/src/postgres/migrate.ts";
import { openSimulator } from "./run.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1000" }, seed: { type: "string", default: "0" } },
});
const [runs, first] = [Number(values.runs), Number(values.seed)];
const root = resolve(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "festival-simulate-"));
const say = (line: string) => process.stdout.write(`${line}\n`);

// Crashes of the server are played by aborted transactions, so nothing needs to reach the disk.
const cluster = await startCluster(join(directory, "postgres"), {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
});
try {
  const database = openDatabase(cluster.url, { sizes: { requests: 1, service: 1 } });
  await migrate(database.asService("the simulator owns its database"), {
    server: join(root, "server/migrations"),
    supabase: join(root, "supabase"),
  });
  await database.close();
  const simulator = await openSimulator(cluster.url);
  const started = Date.now();
  let sound = 0;
  let told = started;
  for (let seed = first; seed < first + runs; seed++) {
    const faults = await simulator.run(seed);
    if (faults.length > 0) {
      say(`Seed ${seed} (npm run simulate -- --runs 1 --seed ${seed}):\n  ${faults.join("\n  ")}`);
      process.exitCode = 1;
      break;
    }
    sound += 1;
    if (sound % 100 === 0 || Date.now() - told > 10_000) {
      told = Date.now();
      say(`${sound} of ${runs} runs, ${Math.round((told - started) / 1000)} s`);
    }
  }
  say(`${sound} of ${runs} runs sound: nothing oversold, sold out exactly, every cent accounted for.`);
  await simulator.close();
} catch (error) {
  process.exitCode = 1;
  say(error instanceof Error ? String(error.stack) : String(error));
} finally {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
}
