// `node scripts/run.mjs start` (or test, dev): installs dependencies if node_modules differs from package-lock.json (a new
// clone, a changed lock, a broken install), then runs the TypeScript script of that name. It depends on nothing and runs on the
// system's Node (>= 20); the script runs on Node 24 or newer: in this process if it is one, otherwise on the installed one.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants as access, existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

if (process.platform === "win32") {
  console.error("Windows is not supported: run this inside WSL (https://learn.microsoft.com/windows/wsl).");
  process.exit(1);
}

const root = new URL("..", import.meta.url);
const packages = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8")).packages;

function upToDate() {
  try {
    const found = packages("node_modules/.package-lock.json"); // npm writes it last, so a broken install lacks it
    const wanted = packages("package-lock.json");
    if (Object.keys(found).some((path) => !(path in wanted))) return false;
    return Object.entries(wanted).every(([path, want]) => {
      if (!path.includes("node_modules/") || want.link) return true;
      const have = found[path];
      return have
        ? have.version === want.version && have.integrity === want.integrity
        : Boolean(want.optional);
    });
  } catch {
    return false;
  }
}

function install() {
  try {
    accessSync(root, access.W_OK);
  } catch ({ code }) {
    console.error(
      `The dependencies are missing or of another version, and this user may not write ${fileURLToPath(root)} (${code}). ` +
        "Run npm ci --include=dev as the user that owns the program.",
    );
    process.exit(1);
  }
  console.log("Installing dependencies (npm ci), once …");
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  // The build and the tests need development packages, whatever NODE_ENV is.
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: root, stdio: "inherit" };
  const { status } = npm ? spawnSync(node, [npm, ...args], options) : spawnSync("npm", args, options);
  if (status === 0) return;
  console.error(
    "The dependencies could not be installed. npm's message above says why; then run the command again.",
  );
  process.exit(status ?? 1);
}

const isCurrent = () => Number(process.versions.node.split(".")[0]) >= 24;

/** The Node among the dependencies. npm links it if there is a build for the platform. */
function bundledNode() {
  const path = fileURLToPath(new URL("node_modules/.bin/node", root));
  if (existsSync(path)) return path;
  console.error(
    `Install Node 24 or newer: this is ${process.version}, and there is none on npm for ${process.platform}-${process.arch}.`,
  );
  process.exit(1);
}

const [name, ...args] = process.argv.slice(2);
const script = new URL(`${name}.ts`, import.meta.url);
if (!upToDate()) install();
if (isCurrent()) {
  process.argv.splice(1, 2, fileURLToPath(script));
  // Must come before the first TypeScript: cached files need no compiler, and loading the compiler is half of a warm start.
  module.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/node", root)));
  await import(script.href);
} else {
  const child = spawn(bundledNode(), [fileURLToPath(script), ...args], { cwd: root, stdio: "inherit" });
  // A terminal sends Ctrl-C to the child as well. The child decides when it has stopped.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
}
