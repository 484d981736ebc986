// The processor time that a festival's processes have used, from /proc: PostgreSQL's, and the server's with all others below it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Festival } from "../support/server/festival.ts";

/** In milliseconds. */
export interface ProcessorTime {
  readonly server: number;
  readonly postgres: number;
}

/** The kernel counts in hundredths of a second. */
const MS_PER_TICK = 10;

export function processorTime({ pid, dataDir }: Festival): ProcessorTime {
  const postmaster = Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
  const processes = allProcesses();
  const below = (root: number, except?: number): number =>
    processes
      .filter(({ pid, parent }) => (pid === root || parent === root) && pid !== except)
      .reduce((sum, one) => sum + (one.pid === root ? one.milliseconds : below(one.pid, except)), 0);
  return { server: below(pid, postmaster), postgres: below(postmaster) };
}

export const since = (before: ProcessorTime, after: ProcessorTime): ProcessorTime => ({
  server: after.server - before.server,
  postgres: after.postgres - before.postgres,
});

/** Each with the time of its children that have ended. */
function allProcesses(): { pid: number; parent: number; milliseconds: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ").map(Number);
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
        return [{ pid: Number(pid), parent: fields[1]!, milliseconds: ticks * MS_PER_TICK }];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
}
