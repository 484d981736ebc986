// `npm run status`: the running server's addresses and keys as KEY=VALUE lines, for people and for shell scripts.
import { commandLine } from "./command-line.ts";
import { dataDirectory, readServerStatus } from "./server-status.ts";

commandLine("npm run status", {});
const status = await readServerStatus();
if (!status) {
  console.error(`No server is running on ${dataDirectory()}. Start it with: npm start`);
  process.exit(1);
}
for (const [key, value] of Object.entries(status.values)) console.log(`${key}=${value}`);
