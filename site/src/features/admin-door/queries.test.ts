import { afterEach, expect, it, vi } from "vitest";
import type { Attempt } from "./model.ts";
import { Refused, sell } from "./queries.ts";

vi.mock("#lib/api/supabase.ts", async () => {
  const { createSupabase } = await import("#lib/api/supabase-client.ts");
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  return { getSupabase: async () => supabase };
});

afterEach(() => vi.unstubAllGlobals());

const attempt: Attempt = { key: "k", items: [], method: "cash", cents: 2000, words: "1 Walk-in" };

const answering = (status: number, body: string) =>
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
const json = (code: string, message: string) => JSON.stringify({ code, message, details: null, hint: null });

it.each([
  ["23514", 400, "Only 2 are left."],
  ["22023", 400, "Please choose what is sold."],
  ["42501", 403, "You do not sell at the door."],
  ["PT409", 409, "The till is closed."],
  ["P0001", 400, "The day is over."],
])("drops a sale that the database refused with %s", async (code, status, message) => {
  answering(status, json(code, message));
  const failure = await sell(attempt).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Refused);
  expect(failure).toHaveProperty("message", message);
});

it("explains a refusal in PostgreSQL's own words", async () => {
  answering(
    409,
    json("23503", 'insert on table "orders" violates foreign key constraint "orders_till_fkey"'),
  );
  const failure = await sell(attempt).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Refused);
  expect(failure).toHaveProperty("message", expect.stringMatching(/^This may have been changed/));
});

it.each([
  ["a statement that ran too long", 422, json("57014", "canceling statement due to statement timeout")],
  ["a row held too long", 422, json("55P03", "canceling statement due to lock timeout")],
  ["a deadlock", 503, json("40P01", "deadlock detected")],
  ["a full server", 503, json("53300", "sorry, too many clients already")],
  ["a database that restarts", 503, json("57P01", "terminating connection due to administrator command")],
  ["a token that ended", 401, json("PGRST303", "JWT expired")],
  ["a session that ended", 401, json("42501", "permission denied for function sell_at_door")],
  ["a gateway's page", 502, "<html>Bad Gateway</html>"],
])("keeps a sale open after %s, with a message meant for people", async (_what, status, body) => {
  answering(status, body);
  const failure = await sell(attempt).catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(Refused);
  expect((failure as Error).message).toMatch(
    /^(The server could not be reached|That did not work|Your session has ended)\. Please/,
  );
});
