// How much of the machine a process has used so far.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface Usage {
  /** Its own memory at this moment, in bytes. */
  readonly memory: number;
  /** Processor time since its start, in milliseconds. */
  readonly cpuMs: number;
}

/** Undefined once the process has ended. */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    return process.platform === "linux" ? await usageOnLinux(pid) : await usageByPs(pid);
  } catch {
    return undefined;
  }
}

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const MS_PER_TICK = 10;

async function usageOnLinux(pid: number): Promise<Usage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
  ]);
  // The name in brackets may hold blanks. proc(5): fields 14 and 15 are user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return { memory: kilobytes * 1024, cpuMs: ticks * MS_PER_TICK };
}

async function usageByPs(pid: number): Promise<Usage> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=,time=", "-p", String(pid)]);
  const [kilobytes, time = ""] = stdout.trim().split(/\s+/);
  const seconds = time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return { memory: Number(kilobytes) * 1024, cpuMs: seconds * 1000 };
}
