// A real `npm start` on its own data folder and port. Owns the process: starting, waiting until it is healthy, its output, stopping
// it, and whether it left anything behind.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const root = resolve(import.meta.dirname, "../../..");

export interface Festival {
  readonly pid: number;
  readonly dataDir: string;
  /** Site and API, without a trailing slash. */
  readonly url: string;
  /** The lines of `npm run status`. */
  readonly status: Readonly<Record<string, string>>;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends the signal and resolves with the exit code, or null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  readonly dataDir: string;
  /** Through npm, in a separate process group, as from a terminal; otherwise the script itself. */
  readonly viaNpm?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The most files and sockets it may have open, as `ulimit -n`. */
  readonly openFiles?: number;
  /** The numeric id of the user who starts it; by default the user who runs the test. Only root can choose. */
  readonly uid?: number | undefined;
}

/**
 * Resolves when /health answers 200, within three minutes, since it may build first. Rejects with the output if it exits before that.
 */
export async function startFestival(options: StartOptions): Promise<Festival> {
  const { dataDir, viaNpm } = options;
  const { child, output, exited } = launch(options);
  const ended = { yet: false };
  void exited.then(() => (ended.yet = true));
  const pid = child.pid!;
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(20)) {
    if (ended.yet) throw new Error(`npm start ended:\n${output()}`);
    const status = readStatus(dataDir);
    if (!status || !(await healthy(status.API_URL!))) continue;
    return {
      pid,
      dataDir,
      url: status.API_URL!,
      status,
      output,
      stop: (signal = "SIGINT") => {
        // A terminal sends Ctrl-C to everything that runs in it. After a kill, PostgreSQL may hold the output open for a while.
        if (!ended.yet && viaNpm) process.kill(-pid, signal);
        else if (!ended.yet) child.kill(signal);
        return exited;
      },
    };
  }
  child.kill("SIGKILL");
  throw new Error(`npm start was not healthy within three minutes:\n${output()}`);
}

/** Runs it to its end, for starts that must be refused. */
export async function runFestivalToItsEnd(
  options: StartOptions,
): Promise<{ code: number | null; output: string }> {
  const { child, output, exited } = launch(options);
  const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
  const code = await exited;
  clearTimeout(timer);
  return { code, output: output() };
}

/** Does not wait until it is up. */
export function startFestivalUnawaited(options: StartOptions): {
  readonly exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
} {
  const { child, exited } = launch(options);
  return { exited, signal: (signal) => child.kill(signal) };
}

function launch({ dataDir, viaNpm = false, env = {}, openFiles, uid }: StartOptions): {
  child: ChildProcess;
  output: () => string;
  exited: Promise<number | null>;
} {
  let text = "";
  const command = viaNpm ? ["npm", "start"] : [process.execPath, join(root, "scripts/run.mjs"), "start"];
  const limited = openFiles ? ["sh", "-c", `ulimit -n ${openFiles}; exec "$@"`, "sh"] : [];
  const [program, ...args] = [...limited, ...command] as [string, ...string[]];
  const child = spawn(program, args, {
    detached: viaNpm,
    cwd: root,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    // A fresh port, and nothing inherited from the test runner that would change what is tested.
    env: { ...process.env, NODE_ENV: "", VITEST: "", PORT: "0", DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
  const exited = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  return { child, output: () => text, exited };
}

/** What a live server wrote; kill -9 leaves the file of a dead one. */
function readStatus(dataDir: string): Record<string, string> | undefined {
  try {
    const text = readFileSync(join(dataDir, "status.json"), "utf8");
    const { pid, values } = JSON.parse(text) as { pid: number; values: Record<string, string> };
    process.kill(pid, 0);
    return values;
  } catch {
    return undefined;
  }
}

async function healthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).status === 200;
  } catch {
    return false;
  }
}

/** A new folder below the system's temporary folder. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "festival-"));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Command lines of living processes that name the folder; PostgreSQL's do. Only known on Linux. */
export function processesUsing(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      } catch {
        return "";
      }
    })
    .filter((command) => command.includes(folder));
}
