// `npm run restore -- FOLDER`: fills DATA_DIR from a backup. DATA_DIR must not have a database yet.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { copyFolder } from "./backup/copy-folder.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory } from "./server-status.ts";

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const usage = "npm run restore -- FOLDER";
const [source] = commandLine(usage, { allowPositionals: true }).positionals;
if (!source) stop(`Usage: ${usage}`);
const from = resolve(source);
const to = dataDirectory();
if (!existsSync(join(from, "backup.json"))) stop(`${from} is not a backup, or an incomplete one.`);
for (const name of ["postgres", "secrets.json", "storage"]) {
  if (existsSync(join(to, name)))
    stop(`${join(to, name)} already exists. Set DATA_DIR to a new folder, or move it away.`);
}
copyFolder(from, to, (name, depth) => depth > 0 || name !== "backup.json");
console.log(`Restored to ${to}. Start it with: npm start`);
