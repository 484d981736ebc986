// `npm run simulate -- --runs 10000 [--seed N] [--workers N]`: that many seeded runs on a separate PostgreSQL, each worker on
// its own database. Stops at the first fault, with its seed and every step that led to it.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../scripts/command-line.ts";
import { clusterUrl, startCluster } from "../../server/src/postgres/cluster/cluster.ts";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { migrate } from "../../server/src/postgres/setup/migrate.ts";
import { PROJECT } from "../../shop/src/project.ts";
import type { Run } from "./run.ts";

const { values } = commandLine("npm run simulate [-- --runs N --seed N --workers N]", {
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: "0" },
    // A run waits for its database half of the time.
    workers: { type: "string", default: String(2 * availableParallelism()) },
  },
});
const [runs, first] = [Number(values.runs), Number(values.seed)];
const workers = Math.min(runs, Number(values.workers));
const directory = mkdtempSync(join(tmpdir(), "festival-simulate-"));
const say = (line: string) => process.stdout.write(`${line}\n`);

// Aborted transactions simulate crashes of the server, so nothing needs to reach the disk. A background vacuum would make
// connections replan at unpredictable moments.
const cluster = await startCluster(join(directory, "postgres"), {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
});
try {
  const urls = await makeDatabases(workers);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  let [sound, reportedAt, next] = [0, started, first];
  // Ctrl-C leaves nothing behind.
  process.once("SIGINT", () => (next = Infinity));
  const playOn = (url: string) =>
    new Promise<void>((done, fail) => {
      const worker = fork(new URL("worker.ts", import.meta.url), [url]);
      const more = () => worker.send(next < first + runs ? next++ : "stop");
      worker.once("error", fail);
      worker.once("exit", (code) => (code === 0 ? done() : fail(new Error(`a worker ended with ${code}`))));
      worker.on("message", ({ seed, faults, steps }: Run & { seed: number }) => {
        if (faults.length > 0) {
          say(`Seed ${seed}, ${steps.join("; ")}:\n  ${faults.join("\n  ")}`);
          process.exitCode = 1;
          next = Infinity;
        } else sound += 1;
        if (Date.now() - reportedAt > 10_000) {
          reportedAt = Date.now();
          say(`${sound} of ${runs} runs, ${seconds()} s`);
        }
        more();
      });
      more();
    });
  await Promise.all(urls.map(playOn));
  say(
    `${sound} of ${runs} runs sound in ${seconds()} s: nothing oversold, sold out exactly, every cent accounted for.`,
  );
} catch (error) {
  process.exitCode = 1;
  say(error instanceof Error ? String(error.stack) : String(error));
} finally {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function makeDatabases(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `shop_${index}`);
  const template = openDatabase(cluster.url, { sizes: { requests: 1, service: 1 } });
  await migrate(template.asService("the simulator owns its cluster"), PROJECT);
  await template.close();
  const admin = openDatabase(clusterUrl(join(directory, "postgres"), "template1"), {
    sizes: { requests: 1, service: 1 },
  });
  for (const name of names) {
    await admin
      .asService("the simulator owns its cluster")
      .query(`create database ${name} template postgres`);
  }
  await admin.close();
  return names.map((name) => clusterUrl(join(directory, "postgres"), name));
}
