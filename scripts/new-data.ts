// `npm run new-data`: sets the data folder aside, so that the next start creates an empty shop. For developers, after they changed
// a migration that their data was made with. From the first release on, migrations do not change, and this command refuses.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isInUse } from "../server/src/data-folder.ts";
import { commandLine } from "./command-line.ts";
import { setDataAside } from "./new-data/set-aside.ts";
import { dataDirectory } from "./server-status.ts";

commandLine("npm run new-data", {});

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const manifest = readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8");
const { version } = JSON.parse(manifest) as { version: string };
if (!version.startsWith("0."))
  stop(`Version ${version} has been released, so its data is kept. Put database changes in new migrations.`);
if (process.env.DATABASE_URL)
  stop("DATABASE_URL is set: drop and recreate that database with your PostgreSQL tools.");
const folder = dataDirectory();
if (!existsSync(join(folder, "postgres")))
  stop(`${folder} has no database yet. Start the server with: npm start`);
if (await isInUse(folder)) stop(`A server is running on ${folder}. Stop it first.`);
console.log(`The data is now in ${setDataAside(folder)}. The next start creates an empty shop.`);
