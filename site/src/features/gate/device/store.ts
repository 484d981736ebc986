// What the device keeps through a reload and a dead battery, in IndexedDB: who it is, the lists, the queue of scans that the
// server does not have yet, and the conflicts it was told of. What finds no place there goes to local storage, and then to
// memory: no scan is lost while the page is open. A database that cannot be read is neither guessed at nor written to.
import { readText, writeText } from "#lib/browser/stored-json.ts";
import type { BookRow } from "../rules/decide.ts";
import type { Notice, QueuedScan } from "../rules/hand-in.ts";
import * as database from "./database.ts";
import { createOverflow } from "./overflow.ts";
import type { StorageState } from "./snapshot.ts";
import { within } from "./within.ts";
import { createWriter } from "./writer.ts";

export interface Kept extends database.Found {
  /** The number of the last scan that was ever queued here, also of one that cannot be read. */
  readonly lastSeq: number;
}

export interface GateStore {
  readonly deviceId: string;
  /** Goes on as another device, with its queue: this one is another account's. */
  newDevice: () => void;
  state: () => StorageState;
  /**
   * May take for ever, and may be called again. Undefined when the gate went on meanwhile.
   * @throws when the database cannot be read, unless there never was one: private windows of some browsers have none.
   */
  load: () => Promise<Kept | undefined>;
  /** Goes on beside a database that cannot be read and stays as it is. Undefined when it was read meanwhile. */
  goWithout: () => Kept | undefined;
  /** Whether the database could be read by now. */
  isReadable: () => Promise<boolean>;
  save: (change: database.Saved) => Promise<void>;
  /** Resolves once the scan would survive a dead battery, or cannot be kept any better. */
  enqueue: (entry: QueuedScan) => Promise<void>;
  dequeue: (ids: readonly string[]) => Promise<void>;
  putRows: (rows: readonly BookRow[], change: database.Saved, reset: boolean) => Promise<void>;
  putNotices: (notices: readonly Notice[]) => Promise<void>;
  /** Names, lists and conflicts go; the device's id and name and its queue stay. */
  wipe: () => Promise<void>;
}

const DEVICE_KEY = "houston-culture-festival:gate-device";
/** Beside the database: whoever cannot read the queue goes on counting behind it. */
const LAST_SEQ_KEY = "houston-culture-festival:gate-last-scan";
const NOTHING: database.Found = { rows: [], queue: [], notices: [], saved: {} };
/** Thousands of rows on an old phone. */
const ROWS_WITHIN_MS = 30_000;
const LOOK_WITHIN_MS = 5000;

export function createStore(): GateStore {
  let deviceId = readText("local", DEVICE_KEY) ?? crypto.randomUUID();
  writeText("local", DEVICE_KEY, deviceId);
  const overflow = createOverflow();
  const { write, use, state } = createWriter(() => overflow.entries().length > 0);
  const start = createStart(overflow.entries, use);
  let saved: database.Saved = {};
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
    state: () => state() ?? (start.goesWithout() ? "unread" : "none"),
    async load() {
      const kept = await start.load();
      if (kept) ({ saved } = kept);
      return kept;
    },
    goWithout: start.goWithout,
    isReadable: async () => (await within(LOOK_WITHIN_MS, canRead())) ?? false,
    save: async (change) => {
      saved = { ...saved, ...change };
      await write((to) => database.putSaved(to, toKeep()));
    },
    async enqueue(entry) {
      writeText("local", LAST_SEQ_KEY, String(entry.seq));
      if (!(await write((to) => database.putEntry(to, entry)))) overflow.add(entry);
    },
    async dequeue(ids) {
      overflow.remove(new Set(ids));
      await write((to) => database.dropEntries(to, ids));
    },
    async putRows(rows, change, reset) {
      saved = { ...saved, ...change };
      if (reset) hasGap = false;
      const put = (to: database.Database) => database.putRows(to, rows, toKeep(), reset);
      if (!(await write(put, ROWS_WITHIN_MS))) hasGap = true;
    },
    putNotices: async (notices) => void (await write((to) => database.putNotices(to, notices))),
    async wipe() {
      saved = { clockOffset: saved.clockOffset, name: saved.name };
      await write((to) => database.wipe(to, saved));
    },
  };
}

/** How the gate begins: with its database, without one, or beside one that cannot be read. The first that comes counts. */
function createStart(overflow: () => readonly QueuedScan[], use: (opened: database.Database) => void) {
  let goesOn: "with" | "without" | undefined;
  function keptOf(found: database.Found): Kept {
    const queue = inOrder([...found.queue, ...overflow()]);
    const lastSeq = Math.max(Number(readText("local", LAST_SEQ_KEY) ?? 0), queue.at(-1)?.seq ?? 0);
    return { ...found, queue, lastSeq };
  }
  return {
    goesWithout: () => goesOn === "without",
    async load(): Promise<Kept | undefined> {
      const isFirst = readText("local", LAST_SEQ_KEY) === undefined;
      const read = await database.openAndRead().catch((error: unknown) => {
        if (isFirst) return undefined;
        throw error;
      });
      if (goesOn) {
        read?.database.close();
        return undefined;
      }
      goesOn = "with";
      const kept = keptOf(read?.found ?? NOTHING);
      if (read) {
        use(read.database);
        writeText("local", LAST_SEQ_KEY, String(kept.lastSeq));
      }
      return kept;
    },
    goWithout(): Kept | undefined {
      if (goesOn) return undefined;
      goesOn = "without";
      return keptOf(NOTHING);
    },
  };
}

/** What a slow database kept after all is in both places. */
function inOrder(entries: readonly QueuedScan[]): QueuedScan[] {
  const byId = new Map(entries.map((entry) => [entry.scan.id, entry]));
  return [...byId.values()].sort((one, other) => one.seq - other.seq);
}

async function canRead(): Promise<boolean> {
  try {
    const read = await database.openAndRead();
    read.database.close();
    return true;
  } catch {
    return false;
  }
}
