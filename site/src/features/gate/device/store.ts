// The device's data that survives a reload and a dead battery, in IndexedDB: its identity, the lists, the queue of scans
// that the server does not have yet, and the reported conflicts. What does not fit there goes to local storage, and then to
// memory: no scan is lost while the page is open. A database that cannot be read is neither guessed at nor written to.
import { readText, writeText } from "#lib/browser/stored-json.ts";
import type { BookRow } from "../rules/decide.ts";
import type { Notice, QueuedScan } from "../rules/waiting-scans.ts";
import * as database from "./database.ts";
import { createOverflow } from "./overflow.ts";
import type { StorageState } from "./snapshot.ts";
import { within } from "./within.ts";
import { createWriter, type Writer } from "./writer.ts";

export interface Kept extends database.Found {
  /** The number of the last scan ever queued here, including unreadable ones. */
  readonly lastSeq: number;
}

export interface GateStore {
  readonly deviceId: string;
  /** Continues as another device with the same queue, because this one belongs to another account. */
  newDevice: () => void;
  state: () => StorageState;
  /**
   * May never resolve, and may be called again. Undefined when the gate has started without it.
   * @throws when the database cannot be read, unless there never was one: private windows of some browsers have none.
   */
  load: () => Promise<Kept | undefined>;
  /** Starts without a database that cannot be read, and leaves it untouched. Undefined when it was read in the meantime. */
  goWithout: () => Kept | undefined;
  /** Whether the database can be read by now. */
  isReadable: () => Promise<boolean>;
  save: (change: database.Saved) => Promise<void>;
  /** Resolves once the scan would survive a dead battery, or cannot be stored any better. */
  enqueue: (entry: QueuedScan) => Promise<void>;
  dequeue: (ids: readonly string[]) => Promise<void>;
  putRows: (rows: readonly BookRow[], change: database.Saved, page?: database.ListPage) => Promise<void>;
  putNotices: (notices: readonly Notice[]) => Promise<void>;
  /** Drops names, lists and conflicts. Keeps the device's id, its name, its user's id and its queue. */
  wipe: () => Promise<void>;
}

const DEVICE_KEY = "houston-culture-festival:gate-device";
/** Outside the database: when the queue cannot be read, numbering continues after this. */
const LAST_SEQ_KEY = "houston-culture-festival:gate-last-scan";
const NOTHING: database.Found = { rows: [], queue: [], notices: [], saved: {} };
/** Thousands of rows on an old device. */
const ROWS_WITHIN_MS = 30_000;
const LOOK_WITHIN_MS = 5000;

export function createStore(): GateStore {
  let deviceId = readText("local", DEVICE_KEY) ?? crypto.randomUUID();
  writeText("local", DEVICE_KEY, deviceId);
  const overflow = createOverflow();
  const { use, state, ...writer } = createWriter(() => overflow.entries().length > 0);
  const { write, wipe } = wipesFirst(writer.write);
  const start = createStart(overflow.entries, use);
  /** A page did not fit: after a reload, fetch the whole list. */
  let hasGap = false;
  /** What was changed and is not stored yet: the next write brings it along. */
  let owed: database.Saved = {};
  /** Scans that are being stored, and were not sent and answered meanwhile. */
  const storing = new Set<string>();

  async function bring(change: database.Saved, put: PutSaved, withinMs?: number): Promise<boolean> {
    owed = { ...owed, ...change };
    const brought = owed;
    const run = (to: database.Database) => put(to, hasGap ? { ...brought, upto: undefined } : brought);
    const isStored = await write(run, withinMs);
    if (isStored) owed = changedSince(owed, brought);
    return isStored;
  }

  return {
    get deviceId() {
      return deviceId;
    },
    newDevice() {
      deviceId = crypto.randomUUID();
      writeText("local", DEVICE_KEY, deviceId);
    },
    state: () => state() ?? (start.goesWithout() ? "unread" : "none"),
    load: start.load,
    goWithout: start.goWithout,
    isReadable: async () => (await within(LOOK_WITHIN_MS, canRead())) ?? false,
    save: async (change) => void (await bring(change, database.putSaved)),
    async enqueue(entry) {
      writeText("local", LAST_SEQ_KEY, String(entry.seq));
      storing.add(entry.scan.id);
      const isStored = await write((to) => database.putEntry(to, entry));
      if (storing.delete(entry.scan.id) && !isStored) overflow.add(entry);
    },
    async dequeue(ids) {
      for (const id of ids) storing.delete(id);
      overflow.remove(new Set(ids));
      await write((to) => database.dropEntries(to, ids));
    },
    async putRows(rows, change, page) {
      if (page?.reset) hasGap = false;
      const put: PutSaved = (to, brought) => database.putRows(to, rows, brought, page);
      if (!(await bring(change, put, ROWS_WITHIN_MS))) hasGap = true;
    },
    putNotices: async (notices) => void (await write((to) => database.putNotices(to, notices))),
    async wipe() {
      owed = {};
      await wipe();
    },
  };
}

/** A wipe that failed is owed: it comes before anything else is written. */
function wipesFirst(writeNow: Writer["write"]) {
  let isOwed = false;
  const write: Writer["write"] = (run, withinMs) =>
    writeNow(async (to) => {
      if (isOwed) await database.wipe(to);
      isOwed = false;
      return run(to);
    }, withinMs);
  const wipe = () => {
    isOwed = true;
    return write(async () => {});
  };
  return { write, wipe };
}

type PutSaved = (to: database.Database, change: database.Saved) => Promise<void>;

const changedSince = (now: database.Saved, before: database.Saved): database.Saved =>
  Object.fromEntries(
    Object.entries(now).filter(([key, value]) => value !== before[key as keyof typeof before]),
  );

/** How the gate starts: with its database, without one, or with one that cannot be read. The first outcome counts. */
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

/** A scan that a slow database stored after all is in both places. */
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
