// Which Chromium the tests use: the one that @sparticuz/chromium ships, with the libraries and fonts it needs, so that every
// machine tests with the same browser and a bare one needs neither root nor a download. CHROMIUM_PATH names another.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasRoomInMemory } from "../../../server/testing/quick-folder.ts";

export interface ChromiumLaunch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly ignoreDefaultArgs: string[];
}

/** No page of a test lives long enough to repay an optimized function: 118 s of processor time for 42 tests, 113 s without. */
export const UNOPTIMIZED = "--js-flags=--no-opt --no-maglev";

const QUIET = [
  "--no-sandbox",
  // Painting through an emulated GPU took 17 s of processor time for 32 pages, without one 7.5 s.
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  UNOPTIMIZED,
];

/**
 * Those of the shipped Chromium's own arguments that suit a serverless function, but not a test of what visitors see. Without a
 * zygote each page's process starts from scratch: 0.05 s more of processor time for a page.
 */
const UNWANTED =
  /single-process|zygote|headless|web-security|insecure-content|site-isolation|site-per-process|gpu|use-gl|use-angle|swiftshader/;

/** Open Sans, which is shipped, replaces every family. The machine's fonts only supply the letters it lacks. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <match target="pattern">
    <edit name="family" mode="prepend_first" binding="strong"><string>Open Sans</string></edit>
  </match>
</fontconfig>
`;

/**
 * With Playwright's own arguments the browser's processes share memory through files on the disk: 68.7 s of processor time for 29
 * tests, 57.3 s without.
 */
const ON_DISK = "--disable-dev-shm-usage";

const modules = resolve(import.meta.dirname, "../../../node_modules");

export async function chromiumLaunch(): Promise<ChromiumLaunch> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]),
  );
  const ignoreDefaultArgs = hasRoomInMemory() ? [ON_DISK] : [];
  const chosen = process.env.CHROMIUM_PATH;
  if (!chosen) return { ...(await shippedChromium(env)), ignoreDefaultArgs };
  if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH names ${chosen}, which does not exist.`);
  return { executablePath: chosen, args: QUIET, env, ignoreDefaultArgs };
}

async function shippedChromium(
  env: Record<string, string>,
): Promise<Omit<ChromiumLaunch, "ignoreDefaultArgs">> {
  const shipped = readFileSync(join(modules, "@sparticuz/chromium/package.json"), "utf8");
  const { version } = JSON.parse(shipped) as { version: string };
  const folder = join(modules, `.cache/chromium-${version}`);
  const args = await unpack(folder);
  return {
    executablePath: join(folder, "chromium"),
    args: [...args.filter((arg) => !UNWANTED.test(arg)), ...QUIET],
    env: {
      ...env,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_PATH: join(folder, "fonts"),
      FONTCONFIG_FILE: join(folder, "fonts/fonts.conf"),
      XDG_CACHE_HOME: join(folder, "cache"),
    },
  };
}

/** Unpacks the browser unless that is done, and returns its own arguments. The folder appears complete or not at all. */
async function unpack(folder: string): Promise<string[]> {
  mkdirSync(join(modules, ".cache"), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const before = { ...process.env };
  try {
    // It unpacks into os.tmpdir(). With this platform name that includes libnss3 and others, and its import changes the
    // environment.
    Object.assign(process.env, { TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: "nodejs24.x" });
    const { default: chromium } = await import("@sparticuz/chromium");
    if (!existsSync(folder)) {
      await chromium.executablePath();
      writeFileSync(join(fresh, "fonts/fonts.conf"), FONTS_CONF);
      moveUnlessThere(fresh, folder);
    }
    return chromium.args;
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Several test runs may unpack at once; the first to finish serves them all. */
function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
