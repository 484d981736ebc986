// A request's statement and its caller's settings are one transaction, with or without an explicit BEGIN.
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../testing/database.ts";
import type { RequestScope } from "./request-scope.ts";

let db: TestDatabase;
const anon: RequestScope = { claims: { role: "anon" } };
const NOW = `select current_user as role, current_setting('request.method') as method, pg_current_xact_id_if_assigned() is not null as wrote`;

const run = (scope: RequestScope, text: string, values?: unknown[]) =>
  db.database.run({ method: "GET", ...scope }, values ? { text, values } : { text });
const asOwner = (text: string) => db.database.asService("tests own the data").query(text);

beforeAll(async () => {
  db = await cloneDatabase({ sizes: { requests: 1, service: 2, reserved: 1 } });
  await asOwner("create table notes (id int primary key, text text); grant all on notes to anon");
});
afterAll(() => db?.close());

test("settings apply to their own request only, from the first one on", async () => {
  for (const method of ["GET", "POST", "GET", "PATCH"]) {
    const { rows } = await run({ ...anon, method }, NOW);
    expect(rows).toEqual([{ role: "anon", method, wrote: false }]);
    const { rows: other } = await run(
      { claims: { role: "authenticated", sub: method } },
      "select current_user as role",
    );
    expect(other).toEqual([{ role: "authenticated" }]);
  }
});

test("a failed statement leaves nothing behind, and the next finds the connection unchanged", async () => {
  const twice = "with first as (insert into notes values (1, 'kept?') returning 1) select 1 / 0 from first";
  for (let time = 0; time < 3; time++) {
    await expect(run(anon, twice)).rejects.toMatchObject({ code: "22012" });
    await expect(run(anon, "select $1::int as n", ["x"])).rejects.toMatchObject({ code: "22P02" });
    expect((await run(anon, "select count(*)::int as n from notes")).rows).toEqual([{ n: 0 }]);
  }
});

test("a read-only request writes nothing, and a rolled back one leaves nothing", async () => {
  const insert = "insert into notes values (2, 'x') returning id";
  for (let time = 0; time < 3; time++) {
    await expect(run({ ...anon, readOnly: true }, insert)).rejects.toMatchObject({ code: "25006" });
    expect((await run({ ...anon, rollback: true }, insert)).rows).toEqual([{ id: 2 }]);
  }
  expect((await run(anon, insert)).rows).toEqual([{ id: 2 }]);
});

test("a function that runs first works along with the settings", async () => {
  const claims = "select current_setting('request.jwt.claims') as claims";
  const before = "select set_config('request.jwt.claims', 'changed', true)";
  expect((await run({ ...anon, before }, claims)).rows).toEqual([{ claims: "changed" }]);
  expect((await run(anon, claims)).rows[0]!.claims).toBe('{"role":"anon"}');
});

test("a refused setting ends the request, and the role's own time limit applies", async () => {
  await expect(run({ ...anon, settings: { timezone: "Mars/Olympus" } }, "select 1")).rejects.toMatchObject({
    code: "22023",
  });
  for (let time = 0; time < 3; time++) {
    await expect(
      run({ ...anon, settings: { statement_timeout: "20ms" } }, "select pg_sleep(60)"),
    ).rejects.toMatchObject({ code: "57014" });
  }
});
