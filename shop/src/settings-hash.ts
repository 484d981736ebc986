// What the status file says about the server's variables: enough to find out which differ elsewhere, and none of their secrets.
import { createHmac, randomBytes } from "node:crypto";

export interface HashedSettings {
  readonly salt: string;
  /** By the variable's name. */
  readonly hashes: Readonly<Record<string, string>>;
}

export function hashSettings(
  given: Readonly<Record<string, string>>,
  salt = randomBytes(16).toString("hex"),
): HashedSettings {
  const hash = (text: string) => createHmac("sha256", salt).update(text).digest("hex");
  return {
    salt,
    hashes: Object.fromEntries(Object.entries(given).map(([name, text]) => [name, hash(text)])),
  };
}

/** The names of the variables that differ. DATA_DIR, by which the server was found, may be written in another way. */
export function differingSettings(server: HashedSettings, given: Readonly<Record<string, string>>): string[] {
  const { hashes } = hashSettings(given, server.salt);
  return [...new Set([...Object.keys(server.hashes), ...Object.keys(hashes)])]
    .filter((name) => name !== "DATA_DIR" && server.hashes[name] !== hashes[name])
    .toSorted();
}
