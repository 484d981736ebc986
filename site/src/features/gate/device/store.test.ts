// What does not fit into IndexedDB, or arrives there late. The database itself is a mock here: it is slow and fails.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { QueuedScan } from "../rules/waiting-scans.ts";
import * as database from "./database.ts";
import { createOverflow } from "./overflow.ts";
import { createStore } from "./store.ts";

vi.mock("./database.ts");

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
  });
  vi.useFakeTimers();
  vi.mocked(database.openAndRead).mockResolvedValue({
    database: { close() {} } as database.Database,
    found: { rows: [], queue: [], notices: [], saved: {} },
  });
  const { putSaved, putRows, putEntry, dropEntries, wipe } = database;
  for (const write of [putSaved, putRows, putEntry, dropEntries, wipe]) vi.mocked(write).mockResolvedValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

const entryOf = (id: string): QueuedScan => ({
  seq: 1,
  scan: { id, code_id: id, issue_number: 1, action: "in", at: 0, decided: "admitted", by: "camera" },
});
const idsOf = (entries: readonly QueuedScan[]) => entries.map(({ scan }) => scan.id);

async function begin() {
  const store = createStore();
  await store.load();
  return store;
}

it("keeps the scans of two tabs of one phone", () => {
  const [one, other] = [createOverflow(), createOverflow()];
  one.add(entryOf("a"));
  other.add(entryOf("b"));
  expect(idsOf(createOverflow().entries()).toSorted()).toEqual(["a", "b"]);
  other.remove(new Set(["b"]));
  expect(idsOf(createOverflow().entries())).toEqual(["a"]);
});

it("keeps a scan elsewhere when its write takes too long, unless it was answered meanwhile", async () => {
  const store = await begin();
  vi.mocked(database.putEntry).mockReturnValue(new Promise(() => {}));
  const writing = [store.enqueue(entryOf("a")), store.enqueue(entryOf("b"))];
  await store.dequeue(["b"]);
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all(writing);
  expect(idsOf(createOverflow().entries())).toEqual(["a"]);
});

it("writes what changed, and again what could not be written", async () => {
  const store = await begin();
  const written = vi.mocked(database.putSaved);
  written.mockRejectedValueOnce(new DOMException("", "QuotaExceededError"));
  await store.save({ name: "South" });
  await store.save({ offlineSince: 5 });
  await store.save({ offlineSince: undefined });
  expect(written.mock.calls.map(([, change]) => change)).toEqual([
    { name: "South" },
    { name: "South", offlineSince: 5 },
    { offlineSince: undefined },
  ]);
});

it("begins the list anew after a page that did not fit", async () => {
  const store = await begin();
  const written = vi.mocked(database.putRows);
  written.mockRejectedValueOnce(new DOMException("", "QuotaExceededError"));
  await store.putRows([], { upto: "1" }, { reset: true, listed: {} });
  await store.putRows([], { upto: "2" }, { reset: false, listed: {} });
  await store.putRows([], { upto: "3" }, { reset: true, listed: {} });
  expect(written.mock.calls.map(([, , { upto }]) => upto)).toEqual(["1", undefined, "3"]);
});

it.each([
  ["fails", () => Promise.reject(new DOMException("", "QuotaExceededError"))],
  ["takes too long", () => new Promise<never>(() => {})],
])("wipes before it writes anything else when a wipe %s", async (_how, wipe) => {
  const store = await begin();
  const done: string[] = [];
  vi.mocked(database.wipe).mockImplementation(async () => void done.push("wipe"));
  vi.mocked(database.wipe).mockImplementationOnce(wipe);
  vi.mocked(database.putSaved).mockImplementation(async (_to, { name }) => void done.push(name!));
  const wiping = store.wipe();
  await vi.advanceTimersByTimeAsync(2000);
  await wiping;
  for (const name of ["South", "North"]) {
    void store.save({ name });
    await vi.advanceTimersByTimeAsync(2000);
  }
  expect(done).toEqual(["wipe", "South", "North"]);
});
