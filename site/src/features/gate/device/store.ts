// What the device keeps through a reload and a dead battery, in IndexedDB: who it is, the lists, the queue of scans that the
// server does not have yet, and the conflicts it was told of. When the storage is full the queue goes to local storage, and
// then to memory: no scan is lost while the page is open.
import type { GateOpened, GateScan, GateScanAnswer } from "contract/gate";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { readJson, readText, writeJson, writeText } from "#lib/browser/stored-json.ts";
import type { BookRow } from "../rules/decide.ts";

export interface QueuedScan {
  /** The order in which the device scanned; the clock plays no part. */
  readonly seq: number;
  readonly scan: GateScan;
}

/** Something to look at: a second admission of a code, or one the server would have refused. */
export interface Notice {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly at: number;
  readonly here: string;
  readonly answer: Pick<GateScanAnswer, "first" | "despite" | "conflict">;
}

export interface Saved {
  opened?: GateOpened | undefined;
  /** Opaque: where the list ends (contract/gate). */
  upto?: string | undefined;
  listAt?: number | undefined;
  clockOffset?: number | undefined;
  offlineSince?: number | undefined;
}

interface Schema extends DBSchema {
  rows: { key: string; value: BookRow };
  queue: { key: number; value: QueuedScan };
  notices: { key: string; value: Notice };
  saved: { key: string; value: Saved };
}

/** Kept: everything. Full: the queue is in local storage or memory. None: this browser keeps nothing. */
export type StorageState = "kept" | "full" | "none";

export interface GateStore {
  readonly deviceId: string;
  /** Goes on as another device, with its queue: this one is another account's. */
  newDevice: () => void;
  state: () => StorageState;
  load: () => Promise<{ rows: BookRow[]; queue: QueuedScan[]; notices: Notice[]; saved: Saved }>;
  save: (change: Saved) => Promise<void>;
  /** Resolves once the scan would survive a dead battery, or cannot be kept any better. */
  enqueue: (entry: QueuedScan) => Promise<void>;
  dequeue: (seqs: readonly number[]) => Promise<void>;
  putRows: (rows: readonly BookRow[], change: Saved, reset: boolean) => Promise<void>;
  putNotices: (notices: readonly Notice[]) => Promise<void>;
  dropNotice: (id: string) => Promise<void>;
  /** Names, lists and conflicts go; the device's id and its queue stay. */
  wipe: () => Promise<void>;
}

const DATABASE = "houston-culture-festival:gate";
const DEVICE_KEY = "houston-culture-festival:gate-device";
const OVERFLOW_KEY = "houston-culture-festival:gate-queue";
const WHOLE = "device";

export async function openStore(): Promise<GateStore> {
  let deviceId = readText("local", DEVICE_KEY) ?? crypto.randomUUID();
  writeText("local", DEVICE_KEY, deviceId);
  const database = await openDatabase();
  let state: StorageState = database ? "kept" : "none";
  let saved: Saved = {};
  let overflow = readOverflow();
  let overflowKept = true;

  /** Runs a write; a full or broken storage never stops the gate. */
  async function write(run: (database: IDBPDatabase<Schema>) => Promise<unknown>): Promise<boolean> {
    if (!database) return false;
    try {
      await run(database);
      if (state === "full" && overflow.length === 0) state = "kept";
      return true;
    } catch {
      state = "full";
      return false;
    }
  }

  function keepOverflow() {
    writeJson("local", OVERFLOW_KEY, overflow.length > 0 ? overflow : undefined);
    overflowKept = overflow.length === 0 || readText("local", OVERFLOW_KEY) === JSON.stringify(overflow);
    if (!database && overflow.length > 0 && !overflowKept) state = "none";
  }

  return {
    get deviceId() {
      return deviceId;
    },
    newDevice() {
      deviceId = crypto.randomUUID();
      writeText("local", DEVICE_KEY, deviceId);
    },
    state: () => state,
    async load() {
      if (!database) return { rows: [], queue: overflow, notices: [], saved };
      const [rows, queue, notices, found] = await Promise.all([
        database.getAll("rows"),
        database.getAll("queue"),
        database.getAll("notices"),
        database.get("saved", WHOLE),
      ]);
      saved = found ?? {};
      return {
        rows,
        queue: [...queue, ...overflow].sort((one, other) => one.seq - other.seq),
        notices,
        saved,
      };
    },
    async save(change) {
      saved = { ...saved, ...change };
      await write((database) => database.put("saved", saved, WHOLE));
    },
    async enqueue(entry) {
      const kept = await write(async (database) => {
        const transaction = database.transaction("queue", "readwrite", { durability: "strict" });
        await Promise.all([transaction.store.put(entry), transaction.done]);
      });
      if (kept) return;
      overflow = [...overflow, entry];
      keepOverflow();
    },
    async dequeue(seqs) {
      const gone = new Set(seqs);
      if (overflow.some(({ seq }) => gone.has(seq))) {
        overflow = overflow.filter(({ seq }) => !gone.has(seq));
        keepOverflow();
      }
      await write(async (database) => {
        const transaction = database.transaction("queue", "readwrite");
        await Promise.all([...seqs.map((seq) => transaction.store.delete(seq)), transaction.done]);
      });
    },
    async putRows(rows, change, reset) {
      saved = { ...saved, ...change };
      await write(async (database) => {
        const transaction = database.transaction(["rows", "saved"], "readwrite");
        const store = transaction.objectStore("rows");
        if (reset) void store.clear();
        for (const row of rows) void store.put(row);
        void transaction.objectStore("saved").put(saved, WHOLE);
        await transaction.done;
      });
    },
    async putNotices(notices) {
      await write(async (database) => {
        const transaction = database.transaction("notices", "readwrite");
        await Promise.all([...notices.map((notice) => transaction.store.put(notice)), transaction.done]);
      });
    },
    async dropNotice(id) {
      await write((database) => database.delete("notices", id));
    },
    async wipe() {
      saved = { clockOffset: saved.clockOffset };
      await write(async (database) => {
        const transaction = database.transaction(["rows", "notices", "saved"], "readwrite");
        void transaction.objectStore("rows").clear();
        void transaction.objectStore("notices").clear();
        void transaction.objectStore("saved").put(saved, WHOLE);
        await transaction.done;
      });
    },
  };
}

async function openDatabase(): Promise<IDBPDatabase<Schema> | undefined> {
  try {
    return await openDB<Schema>(DATABASE, 1, {
      upgrade(database) {
        database.createObjectStore("rows", { keyPath: "id" });
        database.createObjectStore("queue", { keyPath: "seq" });
        database.createObjectStore("notices", { keyPath: "id" });
        database.createObjectStore("saved");
      },
    });
  } catch {
    return undefined; // private windows of some browsers have none
  }
}

function readOverflow(): QueuedScan[] {
  try {
    const found = readJson("local", OVERFLOW_KEY);
    return Array.isArray(found) ? (found as QueuedScan[]) : [];
  } catch {
    return [];
  }
}
