// `npm run rotate-signing-key`: from the next start on, access tokens are signed with a new key. Nobody is signed out, because
// the public half of each earlier key stays. Add `-- RS256` or `-- EdDSA` to replace ES256. Where JWT_SECRET is set, the keys are
// configured too: then it prints the next value of GOTRUE_JWT_KEYS.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonWebKey } from "node:crypto";
import { rotateSigningKey } from "../server/src/platform/keys/secrets.ts";
import { ALGORITHMS, newSigningKey, retired } from "../server/src/platform/keys/signing-keys.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory } from "./server-status.ts";

const usage = `npm run rotate-signing-key [-- ${ALGORITHMS.join(" | ")}]`;
const [asked = "ES256"] = commandLine(usage, { allowPositionals: true }).positionals;
const algorithm = ALGORITHMS.find((one) => one === asked);
if (!algorithm) {
  console.error(`Unknown algorithm: ${asked}. Use ${ALGORITHMS.join(", ")}.`);
  process.exit(1);
}
const { JWT_SECRET, GOTRUE_JWT_KEYS } = process.env;
if (JWT_SECRET || GOTRUE_JWT_KEYS) {
  const before = JSON.parse(GOTRUE_JWT_KEYS || "[]") as JsonWebKey[];
  console.log(JSON.stringify([newSigningKey(algorithm), ...before.map(retired)]));
  process.exit(0);
}
const folder = dataDirectory();
if (!existsSync(join(folder, "secrets.json"))) {
  console.error(`${folder} has no secrets yet. Start the server once with: npm start`);
  process.exit(1);
}
rotateSigningKey(folder, algorithm, Date.now());
console.log(`Access tokens have a new ${algorithm} key. Restart the server to use it. No one is signed out.`);
