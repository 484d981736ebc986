// `npm run dev`: the server restarts and the site reloads when their files change. The site's development server
// proxies API calls to the server, so the browser sees one origin as in production.
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readServerStatus } from "./server-status.ts";

const root = resolve(import.meta.dirname, "..");
const sitePort = Number(process.env.PORT || 3000);
const apiPort = sitePort + 1;
const siteUrl = process.env.SITE_URL || `http://localhost:${sitePort}`;
const running = new Set<ChildProcess>();
let stopping = false;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);

run(root, ["--watch", "--watch-preserve-output", "server/src/main.ts"], {
  PORT: String(apiPort),
  SITE_URL: siteUrl,
});
const anonKey = await publicKey();
if (!stopping) {
  run(
    join(root, "site"),
    [join(root, "node_modules/@react-router/dev/bin.cjs"), "dev", "--port", String(sitePort), "--strictPort"],
    { API_URL: `http://localhost:${apiPort}`, SITE_URL: siteUrl, VITE_SUPABASE_ANON_KEY: anonKey },
  );
}

/** When one process stops, the other is stopped too. */
function run(cwd: string, args: string[], env: Record<string, string>): void {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  running.add(child);
  child.once("exit", (code) => {
    running.delete(child);
    process.exitCode ||= stopping ? 0 : (code ?? 1);
    stop();
  });
}

function stop(): void {
  stopping = true;
  for (const child of running) child.kill("SIGTERM");
}

/** The built site finds the key in its page; the development server gets it once the server has created it. */
async function publicKey(): Promise<string> {
  while (!stopping) {
    const key = (await readServerStatus())?.values.ANON_KEY;
    if (key) return key;
    await sleep(100);
  }
  return "";
}
