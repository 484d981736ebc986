// Compares rows and bytes. A crash between the steps of a change leaves bytes without a row, never a row without bytes. Bytes without
// a row are removed. Rows without bytes, which only a lost disk causes, are reported and kept, because the disk may come back. Every
// attempt to store an object writes new bytes, so old bytes without a row never get one.
import type { Database } from "../../postgres/database.ts";
import { versionsBeginning, versionsStill } from "../queries.ts";
import type { ObjectStore } from "./object-store.ts";

/** Bytes exist before their row: younger ones may belong to an upload in progress. */
export const YOUNG_MS = 60 * 60 * 1000;

export interface Swept {
  /** Versions without a row that were removed, and unfinished files. */
  readonly removed: number;
  /** Versions without a row that were kept, because the store belongs to another installation. */
  readonly left: number;
  /** Versions that rows name but the store does not have. */
  readonly lost: readonly string[];
}

const PREFIXES = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, "0"));

export async function sweep(database: Database, store: ObjectStore, now: number): Promise<Swept> {
  const before = now - YOUNG_MS;
  const ours = await store.isOurs();
  let removed = await store.removeHalves(before);
  let left = 0;
  const lost: string[] = [];
  for (const prefix of PREFIXES) {
    const stored = await store.list(prefix); // listed first, so that the row of each old file has long existed
    const named = new Set(await versionsBeginning(database, prefix));
    const orphans = stored.filter(({ version, since }) => since < before && !named.has(version));
    if (ours) {
      await store.remove(orphans.map(({ version }) => version));
      removed += orphans.length;
    } else left += orphans.length;
    lost.push(...(await missing(database, store, named, new Set(stored.map(({ version }) => version)))));
  }
  return { removed, left, lost };
}

/** Looks twice: an upload or a removal may have happened between the two listings. */
async function missing(
  database: Database,
  store: ObjectStore,
  named: ReadonlySet<string>,
  stored: ReadonlySet<string>,
): Promise<string[]> {
  const absent: string[] = [];
  for (const version of named) if (!stored.has(version) && !(await store.has(version))) absent.push(version);
  return absent.length === 0 ? [] : versionsStill(database, absent);
}
