// What the running server reports about itself: it writes DATA_DIR/status.json once it is up. Owns reading that file and
// deciding whether that server still runs.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isInUse, statusFile } from "../server/src/data-folder.ts";
import { StartError } from "../server/src/platform/start-error.ts";
import type { HashedSettings } from "../shop/src/settings-hash.ts";

export interface ServerStatus {
  /** Where this machine reaches the server, even before SITE_URL's name resolves. */
  readonly localUrl: string;
  /** API_URL, ANON_KEY, SERVICE_ROLE_KEY, DB_URL, MAIL_URL, ADMIN_EMAIL and, until it was changed, ADMIN_PASSWORD. */
  readonly values: Readonly<Record<string, string>>;
  /** The variables it runs with. */
  readonly settings: HashedSettings;
}

/** The data folder the server of this environment uses. */
export function dataDirectory(): string {
  return resolve(process.env.DATA_DIR || "data");
}

/**
 * Undefined when no server runs on that folder. A killed one leaves its file, and its process's number to another. Throws StartError
 * when this user may not know.
 */
export async function readServerStatus(directory = dataDirectory()): Promise<ServerStatus | undefined> {
  let text: string;
  try {
    text = readFileSync(statusFile(directory), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") return undefined;
    throw new StartError(
      `This user may not read ${directory} (${code}), so it is unknown whether a server runs there. Run this as the user that owns it.`,
    );
  }
  return (await isInUse(directory)) ? (JSON.parse(text) as ServerStatus) : undefined;
}
