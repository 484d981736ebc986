// Whether the database still accepts writes, for /health: with a full disk, or after it became read-only, it keeps answering
// reads for a long time.
import type { Log } from "../platform/log.ts";
import { sharedFor } from "../platform/shared-for.ts";
import type { Database } from "./database.ts";

const PROBED_EVERY_MS = 5_000;
/** A disk that hangs counts as a full one. */
const ANSWERS_WITHIN_MS = 5_000;

/** Calls the function of server/migrations/100_write_probe.sql, on a connection that visitors cannot take. */
export function createDatabaseProbe(
  database: Pick<Database, "run">,
  log: Pick<Log, "warn">,
  everyMs = PROBED_EVERY_MS,
): () => Promise<boolean> {
  const write = async () => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, ANSWERS_WITHIN_MS, new Error("no answer"));
    try {
      const scope = { claims: { role: "service_role" }, reserved: true };
      await Promise.race([database.run(scope, { text: "select server_health.write()" }), late]);
      return true;
    } catch (error) {
      log.warn({ err: error }, "the database took no write");
      return false;
    } finally {
      clearTimeout(timer);
    }
  };
  return sharedFor(everyMs, write);
}
