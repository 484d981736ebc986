// `npm run restore -- FOLDER`: fills DATA_DIR from a backup. DATA_DIR must not have a database yet.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { claimDataFolder, restoredFile } from "../server/src/data-folder.ts";
import { copyFolder } from "./backup/copy-folder.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory } from "./server-status.ts";

/** The database comes last: a folder with one is a whole shop. */
const PARTS = ["storage", "secrets.json", "postgres"];

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const usage = "npm run restore -- FOLDER";
const [source] = commandLine(usage, { allowPositionals: true }).positionals;
if (!source) stop(`Usage: ${usage}`);
const from = resolve(source);
const to = dataDirectory();
try {
  readFileSync(join(from, "backup.json"));
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  stop(
    code === "EACCES" || code === "EPERM"
      ? `This user may not read ${from} (${code}). Run this as the user that owns it, or give the folder to this user.`
      : `${from} is not a backup, or is incomplete.`,
  );
}
await claimDataFolder(to).catch(({ message }: Error) => stop(message));
const unfinished = join(to, "restore.unfinished");
/** Exists while the copied parts are moved into place. */
const moving = join(to, "restore.moving");
// A restore that broke off then has moved all but the database. Any other part belongs to a shop that was opened here since.
for (const name of existsSync(moving) ? ["postgres"] : PARTS) {
  if (existsSync(join(to, name)))
    stop(`${join(to, name)} already exists. Set DATA_DIR to a new folder, or move it away.`);
}
for (const name of PARTS) rmSync(join(unfinished, name), { recursive: true, force: true });
copyFolder(from, unfinished, (name, depth) => depth > 0 || PARTS.includes(name));
mkdirSync(moving, { recursive: true });
writeFileSync(restoredFile(to), "");
for (const name of PARTS.filter((part) => existsSync(join(unfinished, part)))) {
  rmSync(join(to, name), { recursive: true, force: true });
  renameSync(join(unfinished, name), join(to, name));
}
for (const folder of [moving, unfinished]) rmSync(folder, { recursive: true });
console.log(`Restored to ${to}. Start it with: npm start
It sends no emails, makes no refunds and takes no orders until it takes over from the original shop: npm run take-over`);
