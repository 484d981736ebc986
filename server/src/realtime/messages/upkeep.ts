// Deletes messages that are too old, a batch at a time, so that no statement takes long.
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import { deleteOldMessages } from "./queries.ts";

const PORTION = 5_000;
const EVERY_MS = 60 * 60 * 1000;

/** Returns a function that stops it. */
export function keepMessagesFew(database: Database, log: Log): () => void {
  const timer = setInterval(() => {
    removeOld(database).catch((error: unknown) => log.error({ err: error }, "old messages were not deleted"));
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export async function removeOld(database: Database): Promise<void> {
  while ((await deleteOldMessages(database, PORTION)) === PORTION);
}
