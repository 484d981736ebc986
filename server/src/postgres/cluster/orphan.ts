// What kill -9 of Node leaves in a cluster's folder: a running PostgreSQL, or a pid file whose process is dead, a zombie or
// another program.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isListening, socketFolder } from "../../platform/local-socket.ts";

/** Stops the PostgreSQL that runs on the folder, with a stronger signal after each `waitMs`, and removes the files that mark it as running. */
export async function stopOrphan(directory: string, waitMs: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    const pid = await runningPostmaster(directory);
    if (pid === undefined) break;
    process.kill(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline && (await runningPostmaster(directory)) !== undefined) await sleep(50);
  }
  // PostgreSQL mistakes any process with that id, even a zombie, for a server on this folder.
  rmSync(join(directory, "postmaster.pid"), { force: true });
  for (const name of [".s.PGSQL.5432", ".s.PGSQL.5432.lock"]) {
    rmSync(join(socketFolder(directory), name), { force: true });
  }
}

/**
 * The id of its postmaster. The id alone proves nothing, so its socket must answer too. Throws where this user may not know.
 */
async function runningPostmaster(directory: string): Promise<number | undefined> {
  let lines: string[];
  try {
    lines = readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const [pid, port, sockets] = [Number(lines[0]), lines[3], lines[4]?.trim()];
  if (!exists(pid)) return undefined;
  const socket = join(sockets || socketFolder(directory), `.s.PGSQL.${port || 5432}`);
  return (await isListening(socket)) ? pid : undefined;
}

/** Another user's process exists too. */
function exists(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
