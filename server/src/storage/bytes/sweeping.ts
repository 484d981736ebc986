// Schedules the comparison of rows and bytes: some minutes after the first use of storage, then daily.
import type { Database } from "../../postgres/database.ts";
import type { Log } from "../../platform/log.ts";
import type { ObjectStore } from "./object-store.ts";
import { sweep } from "./sweeper.ts";

const FIRST_MS = 10 * 60 * 1000;
const EVERY_MS = 24 * 60 * 60 * 1000;
const NAMED_IN_LOG = 10;

/** Returns a function that stops it. */
export function startSweeping(
  database: Database,
  store: ObjectStore,
  now: () => number,
  log: Log,
): () => void {
  let saidLeft = false;
  const run = async () => {
    try {
      const { removed, left, lost } = await sweep(database, store, now());
      if (removed > 0) log.warn({ removed }, "stored files without an object were removed");
      if (left > 0 && !saidLeft) {
        saidLeft = true;
        log.warn(
          { left },
          "the bucket belongs to another installation: files without an object here were left",
        );
      }
      if (lost.length > 0) {
        const versions = lost.slice(0, NAMED_IN_LOG);
        log.error({ lost: lost.length, versions }, "stored objects have lost their files");
      }
    } catch (error) {
      log.error({ err: error }, "stored objects could not be compared with their files");
    }
  };
  let timer = setTimeout(() => {
    void run();
    timer = setInterval(() => void run(), EVERY_MS).unref();
  }, FIRST_MS).unref();
  return () => clearTimeout(timer);
}
