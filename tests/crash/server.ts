// The server that is killed: a real `npm start` on its own data folder, with everything on disk as in production. Owns
// killing and restarting it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../simulator/random.ts";
import {
  type Festival,
  processesUsing,
  removeFolder,
  startFestival,
  temporaryFolder,
} from "../support/server/festival.ts";

/** "power": both at once. "backend": one of PostgreSQL's own processes, after which the rest recovers automatically. */
export const TARGETS = ["node", "postgres", "power", "backend"] as const;
export type Target = (typeof TARGETS)[number];

export interface Victim {
  readonly status: Readonly<Record<string, string>>;
  /** Sends SIGKILL. Returns false when there was nothing to kill. */
  strike(target: Target, random: Random): boolean;
  /** Waits until PostgreSQL has noticed that a backend died: it ends all others before it recovers. */
  recovering(): Promise<void>;
  /** Waits until it is healthy again, and starts it if it does not recover on its own. */
  recover(target: Target): Promise<void>;
  /** Kills a start halfway, then starts for good. */
  stumble(afterMs: number): Promise<void>;
  /** Shuts it down. Returns what is left of it, which should be nothing. */
  stop(): Promise<string[]>;
  remove(): void;
}

/** Recovery takes long on a busy disk. */
export const BACK_WITHIN_MS = 60_000;

export async function startVictim(
  dataDir = temporaryFolder(),
  env: Readonly<Record<string, string>> = {},
): Promise<Victim> {
  const options = { dataDir, env: { LOG_LEVEL: "fatal", ...env } };
  let festival: Festival = await startFestival(options);

  const firstLine = (file: string) => Number(readFileSync(join(dataDir, file), "utf8").split("\n")[0]);
  const pidIn = (file: string): number | undefined =>
    existsSync(join(dataDir, file)) ? firstLine(file) : undefined;
  const kill = (pid: number | undefined): boolean => {
    try {
      return pid !== undefined && pid > 0 && process.kill(pid, "SIGKILL");
    } catch {
      return false;
    }
  };
  const postmaster = () => pidIn("postgres/postmaster.pid");
  let beforeStrike: readonly number[] = [];

  return {
    get status() {
      return festival.status;
    },
    strike(target, random) {
      if (target === "node") return kill(pidIn("server.pid"));
      if (target === "postgres") return kill(postmaster());
      if (target === "backend") {
        beforeStrike = backendsOf(postmaster());
        return kill(random.pick(beforeStrike));
      }
      const both = [kill(postmaster()), kill(pidIn("server.pid"))];
      return both.some(Boolean);
    },
    async recovering() {
      const deadline = Date.now() + BACK_WITHIN_MS;
      while (backendsOf(postmaster()).some((pid) => beforeStrike.includes(pid))) {
        if (Date.now() > deadline) throw new Error("PostgreSQL did not notice that a backend died");
        await sleep(5);
      }
    },
    async recover(target) {
      if (target !== "backend") {
        await festival.stop("SIGKILL").catch(() => {});
        festival = await startFestival(options);
        return;
      }
      for (const deadline = Date.now() + BACK_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
        const answer = await fetch(`${festival.url}/health`).catch(() => undefined);
        if (answer?.status === 200) return;
      }
      throw new Error(`the server did not recover from a backend's death:\n${festival.output()}`);
    },
    async stumble(afterMs) {
      await festival.stop("SIGKILL").catch(() => {});
      const start = startFestival(options).then(
        (started) => ({ started }),
        () => ({ started: undefined }),
      );
      await sleep(afterMs);
      kill(pidIn("server.pid"));
      const { started } = await start;
      await started?.stop("SIGKILL").catch(() => {});
      festival = await startFestival(options);
    },
    async stop() {
      await festival.stop("SIGINT");
      const deadline = Date.now() + BACK_WITHIN_MS;
      while (processesUsing(dataDir).length > 0 && Date.now() < deadline) await sleep(50);
      return processesUsing(dataDir);
    },
    remove: () => removeFolder(dataDir),
  };
}

/** PostgreSQL's processes that serve a connection. */
function backendsOf(postmaster: number | undefined): number[] {
  if (postmaster === undefined) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1];
        return (
          Number(parent) === postmaster && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("[local]")
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
