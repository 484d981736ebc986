import { afterEach, expect, it, vi } from "vitest";
import { deleteAccount, previewDeletion, readMyData } from "./queries.ts";

const page = vi.hoisted(() => ({ isOffline: false }));
vi.mock("#lib/api/supabase.ts", async () => {
  const { createSupabase } = await import("#lib/api/supabase-client.ts");
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  return {
    getSupabase: async () => {
      if (page.isOffline) throw new TypeError("Failed to fetch dynamically imported module: /assets/x.js");
      return supabase;
    },
  };
});
vi.mock("#ui/overlays/toast.ts", () => ({ toast: {} }));

afterEach(() => {
  page.isOffline = false;
  vi.unstubAllGlobals();
});

const UNREACHABLE = "The server could not be reached. Please check your connection and try again.";
const TRY_AGAIN = "That did not work. Please try again in a few minutes.";
const answering = (status: number, body: object) =>
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));
const problemOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: Error) => error.message,
  );

it("says so when the page cannot load what it needs, and leaves no button busy", async () => {
  page.isOffline = true;
  expect(await deleteAccount("ana@people.test", true)).toEqual({ message: UNREACHABLE, signInAgain: false });
  expect(await problemOf(previewDeletion())).toBe(UNREACHABLE);
  expect(await problemOf(readMyData())).toBe(UNREACHABLE);
});

it.each([
  ["a server that fails", 500, { code: "XX000", message: "internal error" }],
  ["a database that is busy", 422, { code: "57014", message: "canceling statement" }],
  ["an answer in another shape", 200, { orders: "many" }],
])("does not blame the connection for %s", async (_what, status, body) => {
  answering(status, body);
  expect(await problemOf(previewDeletion())).toBe(TRY_AGAIN);
});
