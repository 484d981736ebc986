import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { followChanges } from "./changes.ts";

type Receive = (change: { new: object; commit_timestamp: string }) => void;
const joined = vi.hoisted(() => ({ receive: [] as Receive[] }));
vi.mock("./supabase.ts", () => {
  const channel = {
    on: (kind: string, _filter: object, receive: Receive) =>
      kind === "postgres_changes" && joined.receive.push(receive),
    subscribe() {},
  };
  return { getSupabase: async () => ({ channel: () => channel, removeChannel() {} }) };
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
