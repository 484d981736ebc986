import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changesDownSince, followChanges } from "./changes.ts";

type Receive = (change: { new: object; commit_timestamp: string }) => void;
const joined = vi.hoisted(() => ({ receive: [] as Receive[], selected: [] as unknown[] }));
vi.mock("./supabase.ts", () => {
  const channel = {
    on(kind: string, filter: { select?: unknown }, receive: Receive) {
      if (kind !== "postgres_changes") return;
      joined.receive.push(receive);
      joined.selected.push(filter.select);
    },
    subscribe() {},
  };
  const auth = { getSession: async () => ({ data: { session: null } }) };
  return {
    SESSION_KEY: "session",
    getSupabase: async () => ({ auth, channel: () => channel, removeChannel() {} }),
  };
});

let logged: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.stubGlobal("window", { localStorage: { getItem: () => null, setItem: () => {} } });
  logged = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  logged.mockRestore();
  joined.receive.length = 0;
  joined.selected.length = 0;
  vi.unstubAllGlobals();
});

it("joins no channel as a visitor while the session is due and cannot be renewed", async () => {
  let stored: string | null = "a session that is due";
  vi.stubGlobal("window", { localStorage: { getItem: () => stored, setItem: () => {} } });
  vi.useFakeTimers();
  const leave = followChanges(
    "test",
    [{ table: "orders", event: "INSERT", columns: [], notify() {} }],
    () => {},
  );
  await vi.advanceTimersByTimeAsync(4000);
  expect(joined.receive).toEqual([]);
  expect(changesDownSince()).toBeDefined();
  stored = null;
  await vi.advanceTimersByTimeAsync(5000);
  expect(joined.receive).toHaveLength(1);
  leave();
  vi.useRealTimers();
});

it("logs a change that a follower cannot read, and the next one still arrives", async () => {
  const read: unknown[] = [];
  const leave = followChanges(
    "test",
    [
      {
        table: "orders",
        event: "INSERT",
        columns: [],
        notify({ row }) {
          if (row.id === undefined) throw new Error("a row without an id");
          read.push(row.id);
        },
      },
    ],
    () => {},
  );
  await expect.poll(() => joined.receive).toHaveLength(1);
  const [receive] = joined.receive;
  receive!({ new: {}, commit_timestamp: "2025-06-01T12:00:00Z" });
  expect(logged).toHaveBeenCalledOnce();
  receive!({ new: { id: "o" }, commit_timestamp: "2025-06-01T12:00:01Z" });
  expect(read).toEqual(["o"]);
  leave();
});

it("asks for one selection of a table's columns, whoever follows it, so that a row is sent once", async () => {
  const follow = (event: "INSERT" | "*", columns: string[]) =>
    followChanges("test", [{ table: "orders", event, columns, notify() {} }], () => {});
  const leaving = [follow("*", []), follow("INSERT", ["id", "buyer_full_name"])];
  await expect.poll(() => joined.selected).toHaveLength(2);
  expect(joined.selected).toEqual([
    ["id", "buyer_full_name"],
    ["id", "buyer_full_name"],
  ]);
  for (const leave of leaving) leave();
});
