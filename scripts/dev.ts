// `npm run dev`: the site reloads when its files change, and the server restarts when its own, a function or the SQL do. The
// site's development server proxies API calls to the server, so the browser sees one origin as in production.
import { type ChildProcess, spawn } from "node:child_process";
import { watch } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { CHANGED_MIGRATIONS } from "../server/src/platform/start-error.ts";
import { setDataAside } from "./new-data/set-aside.ts";
import { dataDirectory, readServerStatus } from "./server-status.ts";

const root = resolve(import.meta.dirname, "..");
const sitePort = Number(process.env.PORT || 3000);
const apiPort = sitePort + 1;
const siteUrl = process.env.SITE_URL || `http://localhost:${sitePort}`;

/** What the server is made of. Tests are not. */
const WATCHED = ["shop", "server", "sandbox", "supabase", "contract/src"];
const SOURCE = /(?<!\.test)\.(ts|sql|json|toml)$/;
/** Editors and git write several files at once. */
const SETTLES_MS = 200;

interface Running {
  readonly child: ChildProcess;
  /** The exit code. */
  readonly exited: Promise<number>;
}

const running = new Set<ChildProcess>();
let stopping = false;
const watching = new AbortController();
/** The site's development server, with the key it was started with. */
let site: { readonly key: string; stop(): void } | undefined;
let changed = Promise.withResolvers<void>();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
for (const folder of WATCHED) {
  watch(join(root, folder), { recursive: true, signal: watching.signal }, (_event, name) => {
    if (name !== null && SOURCE.test(name)) changed.resolve();
  });
}
await serve();

/** Runs the server, and again after each change. Without one that ever ran there is nothing to develop. */
async function serve(): Promise<void> {
  let everRan = false;
  while (!stopping) {
    changed = Promise.withResolvers<void>();
    void serveSite();
    const code = await runUntilChange();
    if (stopping) return;
    everRan ||= code === "changed";
    if (code === CHANGED_MIGRATIONS && (await agreesToNewData())) {
      console.log(`Kept the earlier data in ${setDataAside(dataDirectory())}.`);
    } else if (code !== "changed") {
      if (!everRan) return end(code);
      console.log("The server starts again after the next change.");
      await changed.promise;
    }
  }
}

/** The code with which the server ended by itself, or "changed". */
async function runUntilChange(): Promise<number | "changed"> {
  const { child, exited } = run(root, ["shop/src/main.ts"], { PORT: String(apiPort), SITE_URL: siteUrl });
  const ended = await Promise.race([exited, changed.promise]);
  if (ended !== undefined) return ended;
  await sleep(SETTLES_MS);
  child.kill("SIGTERM");
  await exited;
  return "changed";
}

function run(cwd: string, args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    // Keys and Ctrl-C are for this process alone: it asks, and it stops the others, once.
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  running.add(child);
  const exited = new Promise<number>((done) => {
    child.once("exit", (code) => {
      running.delete(child);
      done(code ?? 1);
    });
  });
  return { child, exited };
}

async function agreesToNewData(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once("SIGINT", stop);
  const ended = new Promise<string>((done) => terminal.once("close", () => done("")));
  const answer = await Promise.race([
    terminal.question("Start with new data, and keep the earlier data beside it? [y/N] "),
    ended,
  ]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function end(code: number): void {
  process.exitCode ||= stopping ? 0 : code;
  stop();
}

function stop(): void {
  stopping = true;
  watching.abort();
  changed.resolve();
  for (const child of running) child.kill("SIGTERM");
}

/** The built site finds the key in its page; the development server is started with it, once the server has created it. */
async function serveSite(): Promise<void> {
  const key = await publicKey();
  if (stopping || key === site?.key) return;
  site?.stop();
  const { child, exited } = run(
    join(root, "site"),
    [join(root, "node_modules/@react-router/dev/bin.cjs"), "dev", "--port", String(sitePort), "--strictPort"],
    { API_URL: `http://localhost:${apiPort}`, SITE_URL: siteUrl, VITE_SUPABASE_ANON_KEY: key },
  );
  site = { key, stop: () => child.kill("SIGKILL") };
  const code = await exited;
  if (site.key === key) end(code);
}

async function publicKey(): Promise<string> {
  while (!stopping) {
    const key = (await readServerStatus())?.values.ANON_KEY;
    if (key) return key;
    await sleep(100);
  }
  return "";
}
