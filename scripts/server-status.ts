// What the running server reports about itself: it writes DATA_DIR/status.json once it is up. Owns reading that file and
// deciding whether its process is still alive.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface ServerStatus {
  readonly pid: number;
  /** Where this machine reaches the server, even before SITE_URL's name resolves. */
  readonly localUrl: string;
  /** API_URL, ANON_KEY, SERVICE_ROLE_KEY, DB_URL, MAIL_URL, ADMIN_EMAIL and, until it was changed, ADMIN_PASSWORD. */
  readonly values: Readonly<Record<string, string>>;
}

/** The data folder the server of this environment uses. */
export function dataDirectory(): string {
  return resolve(process.env.DATA_DIR || "data");
}

/** Undefined when no server runs on that folder. */
export function readServerStatus(directory = dataDirectory()): ServerStatus | undefined {
  try {
    const status = JSON.parse(readFileSync(join(directory, "status.json"), "utf8")) as ServerStatus;
    return isAlive(status.pid) ? status : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it is alive, and belongs to another user
  }
}
