// docs/ASVS.md lists all cryptography in use (11.1.2). A new file with cryptography needs a row there.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Packages that implement cryptographic algorithms. */
const PACKAGES =
  "bcrypt|jose|otpauth|@simplewebauthn/server|@noble/ed25519|@node-saml/node-saml|passkit-generator";
const imports = new RegExp(`^import (?!type)[^;]*from "(${PACKAGES})"|import\\("(${PACKAGES})"`, "m");
const webCrypto = /\bcrypto\.(?:subtle|getRandomValues)\b/;

/** Leaves out types, and randomUUID: here a UUID is a name, never a secret. */
const primitivesOf = (text: string): string[] =>
  [...text.matchAll(/^import (?!type)\{([^}]*)\} from "node:crypto";/gm)]
    .flatMap(([, names]) => names!.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "randomUUID" && !name.startsWith("type "));

const files = globSync("{contract,sandbox,server,shop,site}/src/**/*.{ts,tsx}", { cwd: root })
  .concat(globSync("{supabase/functions,scripts}/**/*.ts", { cwd: root }))
  .filter((file) => !file.includes("node_modules"));
const withCryptography = files.filter((file) => {
  const text = read(file);
  const isOfTests = file.includes("/testing/") || text.includes('from "vitest"');
  return !isOfTests && (primitivesOf(text).length > 0 || imports.test(text) || webCrypto.test(text));
});

it("the inventory in docs/ASVS.md lists exactly the files with cryptography", () => {
  const [, inventory] = read("docs/ASVS.md").split("## Cryptography in use");
  const listed = new Set(inventory!.match(/(?<=`)[\w./-]+(?<!\.test)\.tsx?(?=`)/g));
  expect([...listed].toSorted()).toEqual(withCryptography.toSorted());
});
