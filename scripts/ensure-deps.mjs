// Runs on the system's Node (>= 20) before `npm start` and `npm test`, so it may depend on nothing.
// Installs when node_modules is not exactly what package-lock.json asks for: new clone, changed lock, broken install.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const root = new URL("..", import.meta.url);
const packages = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8")).packages;

function upToDate() {
  try {
    const found = packages("node_modules/.package-lock.json"); // npm writes it last: a broken install has none
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

if (!upToDate()) {
  console.log("Installing dependencies (npm ci), once …");
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  // The build and the tests need development packages whatever NODE_ENV says.
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: root, stdio: "inherit" };
  const { status } = npm ? spawnSync(node, [npm, ...args], options) : spawnSync("npm", args, options);
  if (status !== 0) {
    console.error(
      "The dependencies could not be installed: see npm's message above, then run the command again.",
    );
    process.exit(status ?? 1);
  }
}

const bundled = ["node", "node.cmd"].some((name) => existsSync(new URL(`node_modules/.bin/${name}`, root)));
if (!bundled && Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    `Node 24 or newer is needed; this is ${process.version}, and no bundled Node exists for ${process.platform}-${process.arch}.`,
  );
  process.exit(1);
}
