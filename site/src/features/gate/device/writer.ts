// Writes to the database as long as that works. Storage that is full, broken or slow never stops the gate: the caller
// learns that nothing was stored, and the state shows it.
import { type Database, openDatabase } from "./database.ts";
import type { StorageState } from "./snapshot.ts";
import { within } from "./within.ts";

type Write = (database: Database) => Promise<unknown>;

export interface Writer {
  use: (database: Database) => void;
  /** False: not stored, or not yet. */
  write: (run: Write, withinMs?: number) => Promise<boolean>;
  /** Undefined: there is no database. */
  state: () => StorageState | undefined;
}

/** Another page may hold the database, and people wait. */
const WITHIN_MS = 2000;

/** `overflows`: whether part of the queue had to go elsewhere. */
export function createWriter(overflows: () => boolean): Writer {
  let database: Database | undefined;
  let failure: "full" | "failing" | undefined;
  /** Timed-out writes that may still complete. Do not wait for writes behind them. */
  let overdue = 0;

  async function write(run: Write, withinMs = WITHIN_MS): Promise<boolean> {
    if (!database) return false;
    const written = attempt(run, database);
    const isKept = await within(overdue > 0 ? 0 : withinMs, written);
    if (isKept !== undefined) return isKept;
    failure = "failing";
    overdue += 1;
    void written.then(() => (overdue -= 1));
    return false;
  }

  /** Never rejects. */
  async function attempt(run: Write, used: Database): Promise<boolean> {
    try {
      await run(used).catch((error: unknown) => {
        if (isNoRoom(error)) throw error;
        return again(run, used);
      });
      if (!overflows()) failure = undefined;
      return true;
    } catch (error) {
      failure = isNoRoom(error) ? "full" : "failing";
      return false;
    }
  }

  /** Safari closes the connections of a page that was in the background. */
  async function again(run: Write, used: Database): Promise<unknown> {
    used.close();
    if (database === used) database = await openDatabase();
    return run(database!);
  }

  return {
    use: (opened) => (database = opened),
    write,
    state: () => failure ?? (database && "kept"),
  };
}

const isNoRoom = (error: unknown) => error instanceof DOMException && error.name === "QuotaExceededError";
