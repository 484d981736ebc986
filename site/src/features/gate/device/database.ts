// The gate's tables in IndexedDB, and their reads and writes. The store handles failures.
import type { GateOpened } from "contract/gate";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { BookRow } from "../rules/decide.ts";
import type { Notice, QueuedScan } from "../rules/waiting-scans.ts";
import type { RecentScan } from "./snapshot.ts";

export interface Saved {
  /** Whose data this is. */
  userId?: string | undefined;
  opened?: GateOpened | undefined;
  /** Opaque: where the list ends (contract/gate). */
  upto?: string | undefined;
  listAt?: number | undefined;
  clockOffset?: number | undefined;
  /** The device's last name. */
  name?: string | undefined;
  offlineSince?: number | undefined;
  recent?: readonly RecentScan[] | undefined;
}

interface Schema extends DBSchema {
  rows: { key: string; value: BookRow };
  queue: { key: string; value: QueuedScan };
  notices: { key: string; value: Notice };
  saved: { key: string; value: Saved };
}

export type Database = IDBPDatabase<Schema>;

const NAME = "houston-culture-festival:gate";
const WHOLE = "device";

/** May never resolve: behind another page, and on iPhones that forget to respond. */
export function openDatabase(): Promise<Database> {
  return openDB<Schema>(NAME, 1, {
    upgrade(database) {
      database.createObjectStore("rows", { keyPath: "id" });
      // Keyed by the scan's own id, because two tabs of one phone number their scans alike.
      database.createObjectStore("queue", { keyPath: "scan.id" });
      database.createObjectStore("notices", { keyPath: "id" });
      database.createObjectStore("saved");
    },
    // A page of a later version waits for this one to close its connection.
    blocking: (_now, _next, event) => (event.target as IDBDatabase).close(),
  });
}

export interface Found {
  readonly rows: BookRow[];
  readonly queue: QueuedScan[];
  readonly notices: Notice[];
  readonly saved: Saved;
}

/** All data, with the database it came from. */
export async function openAndRead(): Promise<{ database: Database; found: Found }> {
  const database = await openDatabase();
  try {
    return { database, found: await readAll(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function readAll(database: Database): Promise<Found> {
  const [rows, queue, notices, saved] = await Promise.all([
    database.getAll("rows"),
    database.getAll("queue"),
    database.getAll("notices"),
    database.get("saved", WHOLE),
  ]);
  return { rows, queue, notices, saved: saved ?? {} };
}

/** Changes only these: another tab of this device has saved the others. */
export async function putSaved(database: Database, change: Saved): Promise<void> {
  const transaction = database.transaction("saved", "readwrite");
  const { store } = transaction;
  const merging = store.get(WHOLE).then((stored) => store.put({ ...stored, ...change }, WHOLE));
  await Promise.all([merging, transaction.done]);
}

export async function putEntry(database: Database, entry: QueuedScan): Promise<void> {
  const transaction = database.transaction("queue", "readwrite", { durability: "strict" });
  await Promise.all([transaction.store.put(entry), transaction.done]);
}

export async function dropEntries(database: Database, ids: readonly string[]): Promise<void> {
  const transaction = database.transaction("queue", "readwrite");
  await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done]);
}

/** A page of the list. */
export interface ListPage {
  /** It begins the list anew. */
  readonly reset: boolean;
  /** What came with it. */
  readonly listed: Partial<Pick<GateOpened, "entrances" | "settings">>;
}

/**
 * Rows, and what changes of the rest, as above. Where another tab has wiped the list meanwhile, no page but a first one says where
 * it ends: after a reload, the whole list is fetched.
 */
export async function putRows(
  database: Database,
  rows: readonly BookRow[],
  change: Saved,
  page?: ListPage,
): Promise<void> {
  const transaction = database.transaction(["rows", "saved"], "readwrite");
  const store = transaction.objectStore("rows");
  if (page?.reset) void store.clear();
  for (const row of rows) void store.put(row);
  const saved = transaction.objectStore("saved");
  const merging = saved.get(WHOLE).then((stored) => {
    const opened = stored?.opened && { ...stored.opened, ...page?.listed };
    const isWiped = !page?.reset && stored?.upto === undefined;
    const ends = isWiped ? { upto: undefined } : {};
    return saved.put({ ...stored, ...(opened && { opened }), ...change, ...ends }, WHOLE);
  });
  await Promise.all([merging, transaction.done]);
}

export async function putNotices(database: Database, notices: readonly Notice[]): Promise<void> {
  const transaction = database.transaction("notices", "readwrite");
  await Promise.all([...notices.map((notice) => transaction.store.put(notice)), transaction.done]);
}

/** Keeps the device's name, whose it is, and what it knows of the time. */
export async function wipe(database: Database): Promise<void> {
  const transaction = database.transaction(["rows", "notices", "saved"], "readwrite");
  void transaction.objectStore("rows").clear();
  void transaction.objectStore("notices").clear();
  const saved = transaction.objectStore("saved");
  const merging = saved.get(WHOLE).then((stored) => {
    const { userId, clockOffset, name }: Saved = stored ?? {};
    return saved.put({ userId, clockOffset, name }, WHOLE);
  });
  await Promise.all([merging, transaction.done]);
}
