// What the device keeps through a reload and a dead battery, in IndexedDB: who it is, the lists, the queue of scans that the
// server does not have yet, and the conflicts it was told of. When the storage is full the queue goes to local storage, and
// then to memory: no scan is lost while the page is open.
import type { GateOpened } from "contract/gate";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import type { BookRow } from "../rules/decide.ts";
import type { Notice, QueuedScan } from "../rules/hand-in.ts";
import type { RecentScan, StorageState } from "./snapshot.ts";
import { createOverflow } from "./overflow.ts";

export interface Saved {
  opened?: GateOpened | undefined;
  /** Opaque: where the list ends (contract/gate). */
  upto?: string | undefined;
  listAt?: number | undefined;
  clockOffset?: number | undefined;
  /** What the phone was called last. */
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

export interface GateStore {
  readonly deviceId: string;
  /** Goes on as another device, with its queue: this one is another account's. */
  newDevice: () => void;
  state: () => StorageState;
  load: () => Promise<{ rows: BookRow[]; queue: QueuedScan[]; notices: Notice[]; saved: Saved }>;
  save: (change: Saved) => Promise<void>;
  /** Resolves once the scan would survive a dead battery, or cannot be kept any better. */
  enqueue: (entry: QueuedScan) => Promise<void>;
  dequeue: (ids: readonly string[]) => Promise<void>;
  putRows: (rows: readonly BookRow[], change: Saved, reset: boolean) => Promise<void>;
  putNotices: (notices: readonly Notice[]) => Promise<void>;
  /** Names, lists and conflicts go; the device's id and name and its queue stay. */
  wipe: () => Promise<void>;
}

const DATABASE = "houston-culture-festival:gate";
const DEVICE_KEY = "houston-culture-festival:gate-device";
const WHOLE = "device";

export async function openStore(): Promise<GateStore> {
  let deviceId = readText("local", DEVICE_KEY) ?? crypto.randomUUID();
  writeText("local", DEVICE_KEY, deviceId);
  const overflow = createOverflow();
  const { write, database, state } = await openWriter(() => overflow.entries().length > 0);
  let saved: Saved = {};
  /** A page found no room: after a reload the list is fetched as a whole. */
  let hasGap = false;
  const toKeep = () => (hasGap ? { ...saved, upto: undefined } : saved);

  return {
    get deviceId() {
      return deviceId;
    },
    newDevice() {
      deviceId = crypto.randomUUID();
      writeText("local", DEVICE_KEY, deviceId);
    },
    state,
    async load() {
      const found = await readAll(database());
      saved = found.saved;
      const queue = [...found.queue, ...overflow.entries()].sort((one, other) => one.seq - other.seq);
      return { ...found, queue };
    },
    async save(change) {
      saved = { ...saved, ...change };
      await write((database) => database.put("saved", toKeep(), WHOLE));
    },
    async enqueue(entry) {
      if (!(await write((database) => putEntry(database, entry)))) overflow.add(entry);
    },
    async dequeue(ids) {
      overflow.remove(new Set(ids));
      await write((database) => dropEntries(database, ids));
    },
    async putRows(rows, change, reset) {
      saved = { ...saved, ...change };
      if (reset) hasGap = false;
      if (!(await write((database) => putRows(database, rows, toKeep(), reset)))) hasGap = true;
    },
    putNotices: async (notices) => void (await write((database) => putNotices(database, notices))),
    async wipe() {
      saved = { clockOffset: saved.clockOffset, name: saved.name };
      await write((database) => wipe(database, saved));
    },
  };
}

type Write = (database: IDBPDatabase<Schema>) => Promise<unknown>;

/** The database while there is one, and whether it has room. `overflows`: some of the queue had to go elsewhere. */
async function openWriter(overflows: () => boolean) {
  let database = await openDatabase();
  let isFull = false;

  /** Runs a write; a full or broken storage never stops the gate. */
  async function write(run: Write): Promise<boolean> {
    const used = database;
    if (!used) return false;
    try {
      await run(used).catch((error: unknown) => {
        if (isNoRoom(error)) throw error;
        return again(run, used);
      });
      isFull &&= overflows();
      return true;
    } catch {
      isFull = true;
      return false;
    }
  }

  /** Safari ends the connections of a page that was in the background. */
  async function again(run: Write, used: IDBPDatabase<Schema>): Promise<unknown> {
    used.close();
    if (database === used) database = (await openDatabase()) ?? used;
    return run(database!);
  }

  return {
    write,
    database: () => database,
    state(): StorageState {
      if (isFull) return "full";
      return database ? "kept" : "none";
    },
  };
}

const isNoRoom = (error: unknown) => error instanceof DOMException && error.name === "QuotaExceededError";

async function openDatabase(): Promise<IDBPDatabase<Schema> | undefined> {
  try {
    return await openDB<Schema>(DATABASE, 1, {
      upgrade(database) {
        database.createObjectStore("rows", { keyPath: "id" });
        // By the scan's own id: two tabs of one phone count alike.
        database.createObjectStore("queue", { keyPath: "scan.id" });
        database.createObjectStore("notices", { keyPath: "id" });
        database.createObjectStore("saved");
      },
    });
  } catch {
    return undefined; // private windows of some browsers have none
  }
}

async function readAll(database: IDBPDatabase<Schema> | undefined) {
  const [rows, queue, notices, saved] = await Promise.all([
    database?.getAll("rows"),
    database?.getAll("queue"),
    database?.getAll("notices"),
    database?.get("saved", WHOLE),
  ]);
  return { rows: rows ?? [], queue: queue ?? [], notices: notices ?? [], saved: saved ?? {} };
}

async function putEntry(database: IDBPDatabase<Schema>, entry: QueuedScan): Promise<void> {
  const transaction = database.transaction("queue", "readwrite", { durability: "strict" });
  await Promise.all([transaction.store.put(entry), transaction.done]);
}

async function dropEntries(database: IDBPDatabase<Schema>, ids: readonly string[]): Promise<void> {
  const transaction = database.transaction("queue", "readwrite");
  await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done]);
}

async function putRows(
  database: IDBPDatabase<Schema>,
  rows: readonly BookRow[],
  saved: Saved,
  reset: boolean,
): Promise<void> {
  const transaction = database.transaction(["rows", "saved"], "readwrite");
  const store = transaction.objectStore("rows");
  if (reset) void store.clear();
  for (const row of rows) void store.put(row);
  void transaction.objectStore("saved").put(saved, WHOLE);
  await transaction.done;
}

async function putNotices(database: IDBPDatabase<Schema>, notices: readonly Notice[]): Promise<void> {
  const transaction = database.transaction("notices", "readwrite");
  await Promise.all([...notices.map((notice) => transaction.store.put(notice)), transaction.done]);
}

async function wipe(database: IDBPDatabase<Schema>, saved: Saved): Promise<void> {
  const transaction = database.transaction(["rows", "notices", "saved"], "readwrite");
  void transaction.objectStore("rows").clear();
  void transaction.objectStore("notices").clear();
  void transaction.objectStore("saved").put(saved, WHOLE);
  await transaction.done;
}
