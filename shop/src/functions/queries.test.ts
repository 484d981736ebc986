// A SQL function answers the same to the functions here, with one statement, as through the API, which is how the platform calls
// it.
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contextOf } from "../../../server/testing/conformance/sides.ts";
import { cloneDatabase, type TestDatabase } from "../../../server/testing/database.ts";
import { visiting } from "../../../server/src/functions/handlers.ts";
import { systemClock } from "../../../server/src/platform/clock.ts";
import { createLog } from "../../../server/src/platform/log.ts";
import { createRest, type Rest } from "../../../server/src/rest/index.ts";
import { type DatabaseFailure, type Sql, sqlThrough } from "../../../supabase/functions/_shared/database.ts";
import { connectSql, type SqlConnections } from "./queries.ts";

const FUNCTIONS = `
create type public.pair as (id bigint, price numeric(10, 2), at timestamptz);
create function public.t_void(p_any text) returns void language plpgsql as $$ begin end $$;
create function public.t_nothing() returns integer language sql as 'select null::integer';
create function public.t_big() returns bigint language sql as 'select 9007199254740993';
create function public.t_price(p_price numeric) returns numeric language sql as 'select p_price + 0.10';
create function public.t_at(p_at timestamptz default '2026-01-02 03:04:05.678+00') returns timestamptz language sql as 'select p_at';
create function public.t_ids(p_ids uuid[]) returns uuid[] language sql as 'select p_ids';
create function public.t_json(p_json jsonb, p_more json default null) returns jsonb language sql
  as $$ select jsonb_build_object('given', p_json, 'more', p_more) $$;
create function public.t_pair(p_null boolean) returns public.pair language sql
  as $$ select case when p_null then null::public.pair else (1, 2.50, 'epoch')::public.pair end $$;
create function public.t_words(p_count integer) returns setof text language sql as $$ select 'w' || generate_series(1, p_count) $$;
create function public.t_jsons() returns setof jsonb language sql as $$ values ('{"a": 1}'::jsonb), (null), ('[2]') $$;
create function public.t_rows(p_count integer) returns setof public.pair language sql
  as $$ select (i::bigint, i / 4.0, 'epoch')::public.pair from generate_series(1, p_count) as i $$;
create function public.t_out(p_a integer, out sum integer, out text text) language sql as $$ select p_a + 1, 'x' $$;
create function public.t_who() returns jsonb language sql as $$ select jsonb_build_object('role', current_user,
  'claims', current_setting('request.jwt.claims')::jsonb, 'zone', current_setting('timezone'),
  'timeout', current_setting('statement_timeout')) $$;
create function public.t_raise(p_code text) returns void language plpgsql
  as $$ begin raise exception 'refused' using errcode = p_code, detail = 'why', hint = 'how'; end $$;
create function public.t_slow() returns void language sql set statement_timeout = '20ms' as 'select pg_sleep(0)';
`;

let db: TestDatabase;
let rest: Rest;
let here: SqlConnections;
let there: Sql;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.database.asService("the test makes functions").query(FUNCTIONS);
  const log = createLog("silent");
  rest = createRest({ database: db.database, databaseUrl: db.url, clock: systemClock, log });
  here = connectSql(db.database);
  const client = createClient("http://festival.test", "service", {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch: (input, init) => {
        const request = new Request(input, init);
        const url = request.url.replace("/rest/v1", "");
        return rest.fetch(new Request(url, request), contextOf({ role: "service_role" }));
      },
    },
  });
  there = sqlThrough(client);
});
afterAll(async () => {
  await rest?.close();
  await db?.close();
});

const id = "3f8c2f43-9d0e-4a58-8a52-6f5c9d3f7a10";
const calls: [name: string, args: Record<string, unknown>][] = [
  ["t_void", { p_any: "x" }],
  ["t_nothing", {}],
  ["t_big", {}],
  ["t_price", { p_price: 19.99 }],
  ["t_price", { p_price: "12345678901234.56" }],
  ["t_at", {}],
  ["t_at", { p_at: undefined }],
  ["t_at", { p_at: null }],
  ["t_at", { p_at: "2026-07-04T12:00:00+02:00" }],
  ["t_ids", { p_ids: [id, id] }],
  ["t_ids", { p_ids: [] }],
  ["t_json", { p_json: [{ a: "ü\"'\\", b: [null, 1.5, undefined] }], p_more: null }],
  ["t_json", { p_json: null }],
  ["t_json", { p_json: "text", p_more: [1] }],
  ["t_pair", { p_null: false }],
  ["t_pair", { p_null: true }],
  ["t_words", { p_count: 0 }],
  ["t_words", { p_count: 3 }],
  ["t_jsons", {}],
  ["t_rows", { p_count: 0 }],
  ["t_rows", { p_count: 2 }],
  ["t_out", { p_a: 1 }],
  ["t_who", {}],
  ["t_slow", {}],
  ["claim_outbox", { p_limit: 3, p_lane: "mail" }],
  // Refused:
  ["t_raise", { p_code: "P0001" }],
  ["t_raise", { p_code: "PT409" }],
  ["t_raise", { p_code: "42501" }],
  ["t_raise", { p_code: "23505" }],
  ["t_raise", { p_code: "55P03" }],
  ["t_price", { p_price: "much" }],
  ["t_ids", { p_ids: ["no id"] }],
  ["t_words", { p_count: 1e12 }],
  ["t_void", { p_any: "\u0000" }],
];

async function outcome(sql: Sql, name: string, args: Record<string, unknown>) {
  try {
    return { answer: await sql(name as "clean_up", args) };
  } catch (error) {
    const { message, code, cause } = error as DatabaseFailure;
    return { message, code, cause: { ...(cause as object) } };
  }
}

it.each(calls)("%s %j", async (name, args) => {
  // Twice, as the second call finds its statement prepared.
  for (let time = 0; time < 2; time++) {
    const inTurn = await outcome(here.inTurn, name, args);
    expect(inTurn).toEqual(await outcome(there, name, args));
    if (name === "t_who") continue; // the shared connections are the server's own
    expect(await outcome(here.forAll, name, args)).toEqual(inTurn);
    expect(await outcome(here.urgent, name, args)).toEqual(inTurn);
  }
});

it("runs for a visitor on the visitors' connections, as the service still", async () => {
  const who = await visiting.run("192.0.2.7", () => outcome(here.inTurn, "t_who", {}));
  expect(who).toMatchObject({ answer: { role: "service_role", claims: { role: "service_role" } } });
});

it("refuses a name that is no function, and an argument that it does not have", async () => {
  expect(await outcome(here.inTurn, "t_unknown", {})).toMatchObject({
    message: "there is no SQL function t_unknown",
  });
  expect(await outcome(here.inTurn, "t_big", { p_more: 1 })).toMatchObject({
    message: "t_big has no argument p_more",
  });
});
