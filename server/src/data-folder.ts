// The folder that holds everything this installation owns: writable, and used by one server at a time.
import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { isListening, openSocketFolder, socketFolder } from "./platform/local-socket.ts";
import { sharedFor } from "./platform/shared-for.ts";
import { StartError } from "./platform/start-error.ts";

const PROBE = Buffer.alloc(64 * 1024, "x");

/** Throws StartError if the folder cannot be written or another server uses it. */
export async function claimDataFolder(dataDir: string): Promise<void> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const probe = join(dataDir, ".writable");
    try {
      writeFileSync(probe, PROBE); // an empty file needs no space
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === "ENOSPC"
        ? `The disk of the data folder ${dataDir} is full (${code}). Free some space, then start again.`
        : `The data folder ${dataDir} cannot be written (${code}). Set DATA_DIR to a folder that can.`,
    );
  }
  await lock(dataDir);
  rmSync(statusFile(dataDir), { force: true }); // of a server that was killed
  const pidFile = join(dataDir, "server.pid");
  rmSync(pidFile, { force: true }); // another user's cannot be overwritten
  writeFileSync(pidFile, String(process.pid));
}

/** What a running server reports about itself. */
export const statusFile = (dataDir: string): string => join(dataDir, "status.json");

/**
 * Exists from a restore until the copy takes over (`npm run take-over`). The shop it was made from may still be selling, so until
 * then nothing is mailed, no money is returned and no order is taken. What is older than the file came with the backup.
 */
export const restoredFile = (dataDir: string): string => join(dataDir, "restored");

export const isRestoredCopy = (dataDir: string): boolean => existsSync(restoredFile(dataDir));

/** Whether somebody has claimed the folder. */
export const isInUse = (dataDir: string): Promise<boolean> => isListening(lockSocket(dataDir));

const PROBED_EVERY_MS = 1_000;

/**
 * Whether the folder's disk still accepts writes: a full one answers reads for a long time. Anyone may request /health, so
 * the probe writes at most once a second.
 */
export function createWriteProbe(dataDir: string): () => Promise<boolean> {
  const file = join(dataDir, ".writable");
  return sharedFor(PROBED_EVERY_MS, async () => {
    try {
      await writeFile(file, PROBE, { flush: true });
      return true;
    } catch {
      return false;
    } finally {
      await rm(file, { force: true }).catch(() => {});
    }
  });
}

/**
 * Two servers on one folder would fight over its cluster. The lock is a socket: it ends with its process however that ends,
 * and it answers across containers, where a process id proves nothing. It gets its name by a link, which only one of two
 * simultaneous starts can create.
 */
async function lock(dataDir: string): Promise<void> {
  const socket = lockSocket(dataDir);
  const own = join(dirname(socket), `server.${randomUUID().slice(0, 8)}.sock`);
  const server = createServer((visitor) => visitor.destroy());
  await new Promise<void>((listening, fail) => {
    server.once("error", (error) =>
      fail(new StartError(`The data folder ${dataDir} cannot be locked: ${error.message}`)),
    );
    // For every user: otherwise the socket of one command run as root would keep the service's user from asking whether anybody is
    // left. Nothing is said on it, and who may reach it the folder decides.
    server.listen({ path: own, readableAll: true, writableAll: true }, listening);
  });
  server.unref();
  try {
    if (await isTaken(socket, own)) throw alreadyRuns(dataDir);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Links `own` to the lock's name, replacing a socket that nobody listens on any more. */
async function isTaken(socket: string, own: string): Promise<boolean> {
  for (;;) {
    try {
      linkSync(own, socket);
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (await isListening(socket)) return true;
    // Another start may have put its own socket there meanwhile, so the socket moved away is probed again and put back if it
    // is alive.
    const aside = `${own}.old`;
    try {
      renameSync(socket, aside);
    } catch {
      continue; // another start was quicker
    }
    const lives = await isListening(aside);
    if (lives) linkSync(aside, socket);
    rmSync(aside, { force: true });
    if (lives) return true;
  }
}

/**
 * In the data folder itself, because a container with its own /tmp would not see it there. If its path is too long for a
 * socket, it is reached through the folder's descriptor, which stays open; only Linux offers those.
 */
function lockSocket(dataDir: string): string {
  const folder = realpathSync(dataDir);
  if (process.platform !== "linux") return join(openSocketFolder(folder), "server.sock");
  const near = socketFolder(folder) === folder ? folder : `/proc/self/fd/${openSync(folder, "r")}`;
  return join(near, "server.sock");
}

function alreadyRuns(dataDir: string): StartError {
  let holder = "";
  try {
    holder = ` (process ${readFileSync(join(dataDir, "server.pid"), "utf8")} there)`;
  } catch {
    // The other server has not written its number yet.
  }
  return new StartError(
    `A server${holder} already runs on the data folder ${dataDir}, on this machine or in another container. ` +
      "Stop it first, or set DATA_DIR and PORT.",
  );
}
