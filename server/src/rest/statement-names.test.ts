import { expect, onTestFinished, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createLog } from "../platform/log.ts";
import { openDatabase } from "../postgres/database.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";
import { createRest } from "./index.ts";
import { createStatementNames } from "./statement-names.ts";

test("names a statement once it keeps recurring, and keeps the name", () => {
  const names = createStatementNames();
  const given = Array.from({ length: 5 }, () => names.nameFor("select 1", "anon"));
  expect(given.slice(0, 2)).toEqual([undefined, undefined]);
  expect(given[2]).toMatch(/^rest_/);
  expect(new Set(given.slice(2)).size).toBe(1);
});

test("gives different statements different names", () => {
  const names = createStatementNames();
  const nameOf = (text: string) => [1, 2, 3].map(() => names.nameFor(text, "anon")).at(-1);
  expect(nameOf("select 1")).not.toBe(nameOf("select 2"));
});

test("gives each role its own name, which it keeps", () => {
  const names = createStatementNames();
  const askedAs = (role: string) => [1, 2, 3, 4].map(() => names.nameFor("select 1", role));
  const [anon, authenticated] = [askedAs("anon"), askedAs("authenticated")];
  expect(authenticated.slice(0, 2)).toEqual([undefined, undefined]);
  expect(authenticated[2]).not.toBe(anon[2]);
  expect([anon[3], authenticated[3]]).toEqual([anon[2], authenticated[2]]);
});

test("stays bounded under a flood of statements, whether they come once or recur", () => {
  const names = createStatementNames();
  for (let index = 0; index < 5000; index++) expect(names.nameFor(`select ${index}`, "anon")).toBeUndefined();
  const granted = new Set<string>();
  for (let index = 0; index < 5000; index++) {
    for (let time = 0; time < 3; time++) {
      const name = names.nameFor(`again ${index}`, "anon");
      if (name !== undefined) granted.add(name);
    }
  }
  expect(granted.size).toBe(250);
});

test("never reuses a name and never runs out, however often the schema changes", () => {
  const names = createStatementNames();
  const granted: string[] = [];
  for (let change = 0; change < 2000; change++) {
    expect(names.epoch).toBe(change);
    for (let time = 0; time < 3; time++) {
      const name = names.nameFor("select 1", "anon");
      if (name !== undefined) granted.push(name);
    }
    names.forget();
  }
  expect(new Set(granted).size).toBe(2000);
});

test("plans what visitors and signed-in callers read in turn once for each", async () => {
  const db = await cloneDatabase();
  onTestFinished(() => db.close());
  // Planning evaluates immutable functions, so the policy can count, per connection, how often a read of its table is
  // planned.
  await db.database.asService("tests own the data").query(`
    create table dishes (id int primary key); alter table dishes enable row level security;
    create function plans() returns int language sql stable as $$
      select coalesce(current_setting('test.plans', true), '0')::int $$;
    create function counted() returns boolean language plpgsql immutable as $$ begin
      perform set_config('test.plans', (plans() + 1)::text, false); return true; end $$;
    create policy everybody on dishes for select using (counted());
    grant select on dishes to anon, authenticated`);
  const database = openDatabase(db.url, { sizes: { requests: 1, service: 2 } });
  onTestFinished(() => database.close());
  const log = createLog("silent");
  const rest = createRest({ database, databaseUrl: db.url, clock: systemClock, log });
  onTestFinished(() => rest.close());
  const ask = async (path: string, as: keyof typeof CALLERS) =>
    (await rest.fetch(new Request(`http://localhost${path}`), contextOf(CALLERS[as]))).json();
  const readInTurn = async () => {
    for (let time = 0; time < 5; time++) {
      for (const as of ["anon", "alice"] as const) expect(await ask("/dishes", as)).toEqual([]);
    }
    return Number(await ask("/rpc/plans", "anon"));
  };
  await readInTurn();
  const plans = await readInTurn(); // by now PostgreSQL keeps one generic plan
  expect(plans).toBeGreaterThan(0);
  expect(await readInTurn()).toBe(plans);
});
