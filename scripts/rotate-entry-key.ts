// `npm run rotate-entry-key`: from the next start on, entry codes are signed with a new key. Sold codes stay valid, because
// the database keeps the public half of every key that ever signed.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { rotateTicketKey } from "../shop/src/secrets.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory } from "./server-status.ts";

commandLine("npm run rotate-entry-key", {});
const folder = dataDirectory();
if (!existsSync(join(folder, "secrets.json"))) {
  console.error(`${folder} has no secrets yet. Start the server once with: npm start`);
  process.exit(1);
}
rotateTicketKey(folder);
console.log("Entry codes have a new key. Restart the server to use it. Codes already sold stay valid.");
