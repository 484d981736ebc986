// `npm run backup -- FOLDER`: copies everything the server keeps, as of one moment, into a new folder. Works while the shop
// is selling.
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { claimDataFolder } from "../server/src/data-folder.ts";
import { StartError } from "../server/src/platform/start-error.ts";
import { clusterUrl, STOPS_WITHIN_MS } from "../server/src/postgres/cluster/cluster.ts";
import { stopOrphan } from "../server/src/postgres/cluster/orphan.ts";
import { copyRunningCluster } from "./backup/cluster-copy.ts";
import { copyFolder } from "./backup/copy-folder.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory, readServerStatus } from "./server-status.ts";

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const usage = "npm run backup -- FOLDER";
const [target] = commandLine(usage, { allowPositionals: true }).positionals;
if (!target) stop(`Usage: ${usage}`);
const to = resolve(target);
const from = dataDirectory();
const cluster = join(from, "postgres");
if (existsSync(to)) stop(`${to} already exists. Choose a new folder for the backup.`);
const running = await readServerStatus();
// A shop that has moved to another PostgreSQL may still have its old cluster in this folder.
const isElsewhere = running ? running.values.DB_URL !== clusterUrl(cluster) : process.env.DATABASE_URL;
if (isElsewhere || !existsSync(cluster)) {
  stop(
    `The database is not in ${from}. If DATABASE_URL points to another PostgreSQL, run its pg_dump and copy ${from}.`,
  );
}
if (!running) {
  // As a start does: no server can start meanwhile, and a PostgreSQL left behind by a killed server is stopped.
  await claimDataFolder(from).catch(({ message }: Error) => stop(message));
  await stopOrphan(cluster, STOPS_WITHIN_MS);
}

const unfinished = `${to}.unfinished`;
/** The topmost folder above it that this backup made. */
let made: string | undefined;
try {
  rmSync(unfinished, { recursive: true, force: true });
  made = mkdirSync(dirname(to), { recursive: true });
  mkdirSync(unfinished); // not recursive, which says ENOENT for a disk that may only be read
  await copyEverything();
  renameSync(unfinished, to);
} catch (error) {
  removeUnfinished();
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") throw new StartError(`The disk of ${to} is full. Nothing of the backup was kept.`);
  // Codes of the file system, not of PostgreSQL, have a system call.
  if (error instanceof Error && "syscall" in error && "path" in error)
    throw new StartError(`The backup could not be written, and nothing of it was kept: ${message}`);
  throw error;
}
console.log(
  `Backed up to ${to}. It contains all of the shop's secrets. Keep it as secure as the shop itself.`,
);

/** With the folders made for it, unless another backup has begun there. */
function removeUnfinished(): void {
  rmSync(unfinished, { recursive: true, force: true });
  try {
    for (let folder = dirname(to); made && folder.startsWith(made); folder = dirname(folder))
      rmdirSync(folder);
  } catch {
    // It is not empty.
  }
}

async function copyEverything(): Promise<void> {
  // Objects are copied before the database and after it, because an object is stored before its row is written and removed after
  // its row: together they have every object that the rows name. Objects never change, so the second time copies the new ones.
  copyObjects();
  const copied = join(unfinished, "postgres");
  if (running) await copyRunningCluster(running.values.DB_URL!, cluster, copied);
  else copyFolder(cluster, copied, (name) => !/^(postmaster\.pid|\.s\.PGSQL.*)$/.test(name));
  copyObjects();
  copyFolder(from, unfinished, (name, depth) => depth === 0 && name === "secrets.json");
  writeFileSync(join(unfinished, "backup.json"), JSON.stringify({ made: new Date().toISOString() }));
}

function copyObjects(): void {
  const objects = join(from, "storage");
  if (existsSync(objects)) copyFolder(objects, join(unfinished, "storage"));
}
