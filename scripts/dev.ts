// `npm run dev`: the server restarts and the site reloads as their files change. The site's development server passes
// API calls on to the server, so the browser sees one origin as in production.
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const sitePort = Number(process.env.PORT || 3000);
const apiPort = sitePort + 1;

const server = run(root, ["--watch", "--watch-preserve-output", "server/src/main.ts"], {
  PORT: String(apiPort),
  SITE_URL: process.env.SITE_URL || `http://localhost:${sitePort}`,
});
const site = run(
  join(root, "site"),
  [join(root, "node_modules/@react-router/dev/bin.cjs"), "dev", "--port", String(sitePort), "--strictPort"],
  { API_URL: `http://localhost:${apiPort}` },
);

function run(cwd: string, args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
}

// Whoever stops first takes the other along; Ctrl-C reaches both by itself.
for (const [one, other] of [
  [server, site],
  [site, server],
] as const) {
  one.once("exit", (code) => {
    other.kill("SIGTERM");
    process.exitCode = code ?? 0;
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.kill(signal);
    site.kill(signal);
  });
}
