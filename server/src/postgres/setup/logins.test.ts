import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../testing/database.ts";
import { type Database, openDatabase } from "../database.ts";
import { loginsOf } from "./logins.ts";

let owned: TestDatabase;
let database: Database;
beforeAll(async () => {
  owned = await cloneDatabase();
  database = openDatabase(loginsOf(owned.url), { sizes: { requests: 1, service: 1 } });
});
afterAll(async () => {
  await database?.close();
  await owned?.close();
});

const anon = { claims: { role: "anon" } };
const service = () => database.asService("what the services' own login may do");
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "allowed",
    (error: { code?: string }) => error.code,
  );

describe("the login of requests", () => {
  it("has no rights of its own, and can become only the three roles", async () => {
    const { rows } = await owned.database.asService("who may become whom").query(
      `select r.rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as strong,
         (select array_agg(g.rolname::text order by g.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid
          where m.member = r.oid) as becomes
       from pg_roles r where rolname = 'authenticator'`,
    );
    expect(rows).toEqual([
      { rolname: "authenticator", strong: false, becomes: ["anon", "authenticated", "service_role"] },
    ]);
    // What a request might run after resetting its role.
    for (const statement of [
      "select from auth.users",
      "select from public.orders",
      "create table public.mine ()",
      "set role api_server",
      "set role postgres",
      "copy (select 1) to program 'true'",
    ]) {
      const tried = database.transaction(anon, async (tx) => {
        await tx.query("reset role");
        await tx.query(statement);
      });
      expect([statement, await codeOf(tried)]).toEqual([statement, "42501"]);
    }
  });

  it("serves visitors, users and the service", async () => {
    const text = "select current_user as who, session_user as login";
    for (const role of ["anon", "authenticated", "service_role"]) {
      const { rows } = await database.run({ claims: { role, sub: randomUUID() } }, { text });
      expect(rows).toEqual([{ who: role, login: "authenticator" }]);
    }
  });
});

describe("the login of the services", () => {
  it("reads and writes its own tables", async () => {
    const id = randomUUID();
    await service().query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@people.test`]);
    for (const table of ["auth.users", "storage.objects", "realtime.messages", "payments_sandbox.objects"]) {
      const found = service().query(`select from ${table} limit 1`);
      expect([table, await codeOf(found)]).toEqual([table, "allowed"]);
    }
    expect(await codeOf(service().query("select public.live_sessions('[]')"))).toBe("allowed");
  });

  it("owns nothing, creates nothing and is no superuser", async () => {
    for (const statement of [
      "create table public.mine ()",
      "alter table auth.users add column mine text",
      'drop policy "Users read their own role" on public.user_roles',
      "truncate auth.users",
      "set role postgres",
      "create role mine",
      "update server_migrations.applied set hash = ''",
    ]) {
      expect([statement, await codeOf(service().query(statement))]).toEqual([statement, "42501"]);
    }
    const { rows } = await owned.database
      .asService("who owns what")
      .query(
        "select relname from pg_class where relowner in (select oid from pg_roles where rolname in ('authenticator', 'api_server'))",
      );
    expect(rows).toEqual([]);
  });

  it("cancels a query left running by a visitor who has gone", async () => {
    let leave = () => {};
    const departure = { gone: false, onGone: (act: () => void) => ((leave = act), () => {}) };
    const running = database.transaction({ ...anon, departure }, async (tx) => {
      await Promise.all([tx.query("select pg_sleep(60)"), Promise.resolve().then(() => leave())]);
    });
    expect(await codeOf(running)).not.toBe("allowed");
  });
});
