import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changesDownSince, followChanges } from "./changes.ts";

type Receive = (change: { new: object; commit_timestamp: string }) => void;
const joined = vi.hoisted(() => ({ receive: [] as Receive[] }));
vi.mock("./supabase.ts", () => {
  const channel = {
    on: (kind: string, _filter: object, receive: Receive) =>
      kind === "postgres_changes" && joined.receive.push(receive),
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
  vi.unstubAllGlobals();
});

it("joins no channel as a visitor while the session is due and cannot be renewed", async () => {
  let stored: string | null = "a session that is due";
  vi.stubGlobal("window", { localStorage: { getItem: () => stored, setItem: () => {} } });
  vi.useFakeTimers();
  const leave = followChanges("test", [{ table: "orders", event: "INSERT", notify() {} }], () => {});
  await vi.advanceTimersByTimeAsync(4000);
  expect(joined.receive).toEqual([]);
  expect(changesDownSince()).toBeDefined();
  stored = null;
  await vi.advanceTimersByTimeAsync(5000);
  expect(joined.receive).toHaveLength(1);
  leave();
  joined.receive.length = 0;
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
