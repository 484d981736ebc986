// Which Chromium the tests drive: CHROMIUM_PATH, Debian's, or the one that @sparticuz/chromium ships together with the
// system libraries it needs, so that a bare machine needs neither root nor a download. Hides where that is unpacked.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface ChromiumLaunch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const QUIET = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Of the shipped one's own arguments these suit a serverless function, not a test of what visitors see. */
const UNWANTED = /single-process|headless|web-security|insecure-content|site-isolation|site-per-process/;

export async function chromiumLaunch(): Promise<ChromiumLaunch> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]),
  );
  const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find((path) => path && existsSync(path));
  return installed ? { executablePath: installed, args: QUIET, env } : await shippedChromium(env);
}

async function shippedChromium(env: Record<string, string>): Promise<ChromiumLaunch> {
  // It takes whatever lies in os.tmpdir(), be it stale or half unpacked: so a folder of this checkout, with a mark.
  const folder = resolve(import.meta.dirname, "../../node_modules/.cache/chromium");
  const whole = join(folder, "whole");
  if (!existsSync(whole)) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // On this platform name it also unpacks libnss3 and friends, and points LD_LIBRARY_PATH at them.
  const changed = { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs24.x", LD_LIBRARY_PATH: undefined };
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, process.env[name]]));
  setEnvironment(changed);
  try {
    const { default: chromium } = await import("@sparticuz/chromium");
    const executablePath = await chromium.executablePath();
    writeFileSync(whole, "");
    return {
      executablePath,
      args: [...chromium.args.filter((arg) => !UNWANTED.test(arg)), ...QUIET],
      env: { ...env, LD_LIBRARY_PATH: join(folder, "al2023/lib") },
    };
  } finally {
    setEnvironment(before);
  }
}

function setEnvironment(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
