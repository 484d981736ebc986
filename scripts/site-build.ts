// Builds the site, unless the last build is current. A stamp next to the result lists path, size and time of every
// source. Comparing it takes a few milliseconds, and an aborted build leaves no stamp.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const output = join(root, "site/build");
const stampFile = join(output, ".stamp");

// Walked with readdir and plain strings: a glob takes three times as long, and every start waits for this.
const FOLDERS = ["site/src", "site/public", "contract/src"];
const FILES = [
  "package-lock.json",
  "tsconfig.base.json",
  "contract/package.json",
  "supabase/festival.json", // the texts of a fresh installation
];
const SITE_FILE = /\.(ts|json)$/; // configuration in site/ itself

/** Thrown with the build tool's own output when the site cannot be built. */
export class SiteBuildError extends Error {}

/** Builds the site into site/build unless it is newer than all its sources. Returns whether it built. */
export function buildSite({ announce }: { announce: (text: string) => void }): boolean {
  const stamp = describeSources();
  if (stamp === readStamp()) return false;
  requireWritable();
  announce("Building the site …");
  rmSync(stampFile, { force: true });
  const started = performance.now();
  const build = spawnSync(
    process.execPath,
    [join(root, "node_modules/@react-router/dev/bin.cjs"), "build", "--logLevel", "warn"],
    {
      cwd: join(root, "site"),
      // One build for every address: the server writes its own into the pages.
      env: { ...process.env, NODE_ENV: "production", SITE_URL: "" },
      encoding: "utf8",
    },
  );
  if (build.status !== 0) {
    const output = `${build.stdout ?? ""}${build.stderr ?? ""}`.trim();
    throw new SiteBuildError(
      `The site could not be built:\n\n${output || build.error?.message || build.signal}`,
    );
  }
  mkdirSync(output, { recursive: true });
  writeFileSync(stampFile, stamp);
  announce(`Built the site in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  return true;
}

/** A service's user owns its data, not the program. */
function requireWritable(): void {
  const site = join(root, "site");
  try {
    for (const folder of [site, ...(existsSync(output) ? [output] : [])]) accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new SiteBuildError(
      `The site is not built, or older than its sources, and this user may not write ${site} ` +
        `(${(error as NodeJS.ErrnoException).code}). Build it as the user that owns the program: npm run build`,
    );
  }
}

/** One line per source file; equal texts mean equal sources. */
function describeSources(): string {
  const walked = FOLDERS.filter((folder) => existsSync(`${root}/${folder}`)).flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true }).map((name) => `${folder}/${String(name)}`),
  );
  const configuration = readdirSync(`${root}/site`)
    .filter((name) => SITE_FILE.test(name))
    .map((name) => `site/${name}`);
  const lines = [...walked, ...configuration, ...FILES].toSorted().flatMap((path) => {
    const found = statSync(`${root}/${path}`);
    return found.isFile() ? [`${path} ${found.size} ${found.mtimeMs}`] : [];
  });
  return lines.join("\n");
}

function readStamp(): string | undefined {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return undefined;
  }
}
