// Schedules the removal of what crashes and clients have left: some minutes after the first use of storage, then again and again.
import type { Log } from "../../platform/log.ts";
import type { Swept } from "./sweeper.ts";

const FIRST_MS = 10 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const NAMED_IN_LOG = 10;

/** Each returns what it found or how many files it removed. */
export interface Sweeps {
  /** Compares rows and bytes, daily: in S3 that is 256 requests. */
  bytes(): Promise<Swept>;
  /** Pictures made from versions that are gone, daily. */
  pictures(): Promise<number>;
  /** Uploads not finished within a day, hourly. */
  uploads(): Promise<number>;
}

/** Returns a function that stops it. */
export function startSweeping(sweeps: Sweeps, log: Log): () => void {
  let saidLeft = false;
  const bytes = async () => {
    const { removed, left, lost } = await sweeps.bytes();
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
  };
  const stops = [
    repeat(bytes, DAY_MS, log, "stored objects could not be compared with their files"),
    repeat(sweeps.pictures, DAY_MS, log, "pictures of objects that are gone could not be removed"),
    repeat(sweeps.uploads, HOUR_MS, log, "abandoned uploads could not be swept"),
  ];
  return () => stops.forEach((stop) => stop());
}

function repeat(sweep: () => Promise<unknown>, everyMs: number, log: Log, onFailure: string): () => void {
  const run = () => void sweep().catch((error: unknown) => log.error({ err: error }, onFailure));
  let timer = setTimeout(() => {
    run();
    timer = setInterval(run, everyMs).unref();
  }, FIRST_MS).unref();
  return () => clearTimeout(timer);
}
