// `npm run doctor`: reports in plain words what is wrong with this installation, from its environment variables and from the
// running server. Exits with 1 if something would lose money, mail or safety.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { isRestoredCopy } from "../server/src/data-folder.ts";
import { openDatabase } from "../server/src/postgres/database.ts";
import { ConfigError } from "../server/src/platform/variables.ts";
import { type Config, parseConfig } from "../shop/src/config.ts";
import { differingSettings } from "../shop/src/settings-hash.ts";
import { StartError } from "../server/src/platform/start-error.ts";
import { commandLine } from "./command-line.ts";
import { type Finding, judge, type Observed, type ObservedDatabase } from "./doctor/judge.ts";
import { tryServices, wordsOf } from "./doctor/services.ts";
import { dataDirectory, readServerStatus } from "./server-status.ts";

commandLine("npm run doctor", {});
const findings: Finding[] = [];
try {
  const config = parseConfig(process.env);
  findings.push(...judge(config, await observe(config)));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  const lines = error.message.split("\n");
  const said =
    error instanceof ConfigError ? lines.map((line) => `The server will not start. ${line}`) : lines;
  findings.push(...said.map((text) => ({ level: "wrong", text }) as const));
}
for (const { level, text } of findings) console.log(`${level === "wrong" ? "WRONG" : "note "}  ${text}`);
if (findings.length === 0) console.log("Nothing is wrong with this installation.");
// At once: a service that did not answer in time may keep its connection for a minute.
process.exit(findings.some(({ level }) => level === "wrong") ? 1 : 0);

async function observe(config: Config): Promise<Observed> {
  const { node } = process.versions;
  const running = await readServerStatus();
  const { faults, clockOffMs } = await tryServices(config);
  const databaseUrl = running?.values.DB_URL ?? config.databaseUrl;
  return {
    node: Number(node.split(".")[0]),
    freeBytes: freeBytes(),
    unwritable: unwritable(),
    isRestored: isRestoredCopy(dataDirectory()),
    faults,
    // An embedded database uses this machine's clock, so only another machine's clock can show an offset.
    providerClockOffMs: clockOffMs,
    ...(databaseUrl && { database: await databaseOf(databaseUrl).catch(wordsOf) }),
    ...(running && {
      server: {
        healthy: await isHealthy(running.localUrl),
        otherSettings: differingSettings(running.settings, config.given),
      },
    }),
  };
}

function freeBytes(): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dataDirectory());
    return bavail * bsize;
  } catch {
    return undefined; // no data folder yet
  }
}

/** The system's word for why the data folder, or the one it would be created in, cannot be written. */
function unwritable(): string | undefined {
  let folder = dataDirectory();
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return false;
  }
}

async function databaseOf(url: string): Promise<ObservedDatabase> {
  const database = openDatabase(url, { sizes: { requests: 1, service: 1 } });
  try {
    const asked = Date.now();
    const { rows } = await database.asService("the operator asks how the installation stands").query<{
      version: number;
      wal_level: string;
      now: number;
      dead: number;
    }>(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('wal_level') as wal_level,
         extract(epoch from clock_timestamp())::float * 1000 as now,
         (select count(*)::int from public.outbox where dead_at is not null and done_at is null) as dead`,
    );
    const { version, wal_level, now, dead } = rows[0]!;
    return {
      postgres: version,
      walLevel: wal_level,
      clockOffMs: now - (asked + Date.now()) / 2,
      deadWork: dead,
    };
  } finally {
    await database.close();
  }
}
