// Headers set by SQL replace the service's own, as in PostgREST.
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../testing/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createLog } from "../platform/log.ts";
import { CALLERS, contextOf } from "./conformance/sides.ts";
import { createRest, type Rest } from "./index.ts";

let db: TestDatabase;
let rest: Rest;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.database.asService("tests own the data").query(`
    create function page() returns text language plpgsql stable as $$ begin
      perform set_config('response.headers',
        '[{"Content-Type": "text/html"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}]', true);
      return 'x'; end $$`);
  rest = createRest({
    database: db.database,
    databaseUrl: db.url,
    clock: systemClock,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await rest?.close();
  await db?.close();
});

test("a header set by SQL replaces ours, and may appear more than once", async () => {
  const answer = await rest.fetch(new Request("http://localhost/rpc/page"), contextOf(CALLERS.anon));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html");
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});
