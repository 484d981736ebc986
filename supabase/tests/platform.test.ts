// The migrations as Supabase's platform applies them: in a new project's database, as its owner, who is not a superuser and whose
// new tables nobody may access by default. What the platform provides is taken from server/migrations.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { clusterUrl } from "../../server/src/postgres/cluster/cluster.ts";
import type { Claims } from "../../server/src/platform/keys/jwt.ts";
import { type Database, openDatabase } from "../../server/src/postgres/database.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

const root = resolve(import.meta.dirname, "../..");
const NAME = "platform_project";
const PLATFORM = [
  "010_roles.sql",
  "020_auth.sql",
  "022_auth_factors.sql",
  "030_storage.sql",
  "040_realtime.sql",
];

/** The project's `postgres` role under another name, since the cluster of the tests has a superuser of that name. */
const OWNER = `
  do $$ begin create role platform_owner login nosuperuser createdb createrole bypassrls replication;
  exception when duplicate_object then null; end $$;
  grant anon, authenticated, service_role to platform_owner with admin option;
  -- As a project does that grants no function by itself either: PostgreSQL's own grant to everybody would hide a missing one.
  alter default privileges for role platform_owner revoke execute on functions from public;
  alter database ${NAME} owner to platform_owner;
  alter schema public owner to pg_database_owner;
  grant all on schema auth, storage, realtime, extensions to platform_owner;
  grant all on all tables in schema auth, storage, realtime to platform_owner;
  grant all on all routines in schema auth, storage, realtime to platform_owner;
  -- Its auth tables have row-level security and no policies.
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'auth' loop
      execute format('alter table auth.%I enable row level security', name);
    end loop;
  end $$;
  -- The platform lets its postgres role write policies on these tables though it does not own them (supautils.policy_grants).
  alter table storage.objects owner to platform_owner;
  alter table realtime.messages owner to platform_owner;
  alter publication supabase_realtime owner to platform_owner;`;

let cluster: Database;
let project: Database;
let ours: TestDatabase;

beforeAll(async () => {
  const directory = inject("clusterDirectory");
  const small = { sizes: { requests: 1, service: 1 } };
  const url = clusterUrl(directory, NAME);
  cluster = openDatabase(clusterUrl(directory), small);
  await cluster.asService("tests own the cluster").query(`create database ${NAME}`);
  const platform = openDatabase(url, small);
  const setUp = platform.asService("what the platform brings");
  for (const file of PLATFORM) await setUp.query(readFileSync(join(root, "server/migrations", file), "utf8"));
  await setUp.query(OWNER);
  await platform.close();

  project = openDatabase(url.replace("postgres@", "platform_owner@"), small);
  const push = project.asService("supabase db push --include-seed");
  const migrations = join(root, "supabase/migrations");
  for (const file of readdirSync(migrations).toSorted()) {
    await push.transaction((tx) => tx.query(readFileSync(join(migrations, file), "utf8")));
  }
  await push.query(readFileSync(join(root, "supabase/seed.sql"), "utf8"));
  ours = await cloneDatabase();
});

afterAll(async () => {
  await ours?.close();
  await project?.close();
  await cluster?.asService("tests own the cluster").query(`drop database if exists ${NAME} with (force)`);
  await cluster?.close();
});

const MAY = `select line from (
    select format('%s may call %s', role, f.oid::regprocedure) as line
      from unnest(array['anon', 'authenticated', 'service_role']) as role, pg_proc f
      where f.pronamespace = 'public'::regnamespace and f.prorettype <> 'trigger'::regtype
        and has_function_privilege(role, f.oid, 'execute')
    union all
    select format('%s may %s %s', role, privilege, t.oid::regclass)
      from unnest(array['anon', 'authenticated', 'service_role']) as role, pg_class t,
        unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
      where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'v', 'p')
        and (has_table_privilege(role, t.oid, privilege)
          or privilege in ('select', 'insert', 'update') and has_any_column_privilege(role, t.oid, privilege))
  ) as may order by 1`;

const linesOf = async (database: Database, text: string) => {
  const { rows } = await database.asService("who may do what").query<{ line: string }>(text);
  return rows.map(({ line }) => line);
};

/** Updates and deletes whose own WHERE is missing, without comments, texts and what stands in parentheses. */
function unconditional(body: string): string[] {
  let text = body.replaceAll(/--.*/g, "").replaceAll(/'[^']*'/g, "''");
  const found: string[] = [];
  const INNERMOST = /\(([^()]*)\)/g;
  const check = (part: string) => {
    for (const statement of part.split(";")) {
      const [change] =
        /\b(update\s+(?:only\s+)?[\w.]+(\s+(as\s+)?\w+)?\s+set|delete\s+from)\b.*/is.exec(statement) ?? [];
      if (change !== undefined && !/\bwhere\b/i.test(change)) found.push(change);
    }
    return " ";
  };
  while (INNERMOST.test(text)) text = text.replaceAll(INNERMOST, (_, inside: string) => check(inside));
  check(text);
  return found;
}

describe("a new project", () => {
  it("belongs to no superuser", async () => {
    const asked = project.asService("who applied the migrations");
    const { rows } = await asked.query("select usesuper from pg_user where usename = current_user");
    expect(rows).toEqual([{ usesuper: false }]);
  });

  it("lets the service read and write every table and call every function", async () => {
    const all = await linesOf(
      project,
      `select format('service_role may call %s', oid::regprocedure) as line from pg_proc
         where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
       union all select format('service_role may %s %s', privilege, oid::regclass)
         from pg_class, unnest(array['select', 'insert', 'update', 'delete']) as privilege
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    expect(all.length).toBeGreaterThan(100);
    expect(await linesOf(project, MAY)).toEqual(expect.arrayContaining(all));
  });

  it("has no function that updates or deletes without a condition, which safeupdate refuses there", async () => {
    const asked = project.asService("what the functions do");
    const { rows } = await asked.query<{ name: string; body: string }>(
      `select oid::regprocedure::text as name, coalesce(prosrc, '') || coalesce(pg_get_function_sqlbody(oid), '') as body
         from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(100);
    expect(unconditional("update t set a = (select 1 from u where b)")).toHaveLength(1);
    expect(unconditional("with d as (delete from t) select 1 where true")).toHaveLength(1);
    expect(rows.filter(({ body }) => unconditional(body).length > 0).map(({ name }) => name)).toEqual([]);
  });

  it("grants each function and table that the edge functions use to the service itself, not to everybody", async () => {
    const sources = globSync("supabase/functions/**/*.ts", { cwd: root })
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n");
    const named = (pattern: RegExp) => [...new Set([...sources.matchAll(pattern)].map(([, name]) => name!))];
    const called = named(/\bsql\(\s*"(\w+)"/g);
    const used = named(/\.from\(\s*"(\w+)"/g).filter((name) => !name.includes("-"));
    expect([called.length, used.length]).toEqual([
      expect.toSatisfy((n) => n > 20),
      expect.toSatisfy((n) => n > 5),
    ]);
    const asked = project.asService("what the service was granted");
    const { rows } = await asked.query<{ granted: string }>(
      `select p.proname as granted from pg_proc p, aclexplode(p.proacl) as acl
         where p.pronamespace = 'public'::regnamespace and acl.grantee = 'service_role'::regrole and acl.privilege_type = 'EXECUTE'
       union select c.relname from pg_class c, aclexplode(c.relacl) as acl
         where c.relnamespace = 'public'::regnamespace and acl.grantee = 'service_role'::regrole
         group by c.relname having count(*) filter (where acl.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')) = 4`,
    );
    const granted = new Set(rows.map((row) => row.granted));
    expect([...called, ...used].filter((name) => !granted.has(name))).toEqual([]);
  });

  it("grants exactly what our own server grants", async () => {
    expect(await linesOf(project, MAY)).toEqual(await linesOf(ours.database, MAY));
  });

  it("sells a ticket, and the buyer sees it", async () => {
    const user = "00000000-0000-4000-8000-0000000000b1";
    const signUp = project.asService("a buyer signs up");
    await signUp.query("insert into auth.users (id, email) values ($1, 'buyer@people.test')", [user]);
    const one = async (claims: Claims, text: string, ...values: unknown[]) =>
      (await project.run({ claims }, { text, values })).rows[0]!;
    const service = { role: "service_role" };
    const type = await one(
      { role: "anon" },
      "select id from public.ticket_types where name = 'General Admission'",
    );
    const cart = {
      user_id: user,
      idempotency_key: "a first order",
      request_hash: "hash",
      items: [{ type: "ticket", id: type.id, quantity: 1 }],
      attendees: [{ name: "Ana", email: "ana@people.test", ticket_type_id: type.id }],
      buyer: { name: "Ana Reyes", email: "ana@people.test", phone: "713-555-0100" },
      total_cents: 4500,
    };
    const { answers } = await one(
      service,
      "select public.reserve_in_turn($1::jsonb) as answers",
      JSON.stringify([cart]),
    );
    expect(answers).toMatchObject([{ ok: true }]);
    await one(service, "select public.confirm_order($1, 'pi_1', 4500)", answers[0].order_id);
    const mine = await one(
      { role: "authenticated", sub: user },
      "select count(*)::int as tickets from public.tickets",
    );
    expect(mine).toEqual({ tickets: 1 });
  });

  it("takes the schedules as the functions' README has them, each of which can run", async () => {
    // The extensions, as far as the commands use them. Their schemas are the platform's: a project may only call what they have.
    const platform = openDatabase(clusterUrl(inject("clusterDirectory"), NAME), {
      sizes: { requests: 1, service: 1 },
    });
    await platform.asService("what the extensions bring").query(`
      create schema cron; create schema net; create schema vault;
      create table cron.job (name text primary key, schedule text, command text);
      create function cron.schedule(text, text, text) returns bigint language sql security definer as
        'insert into cron.job values ($1, $2, $3) returning 1::bigint';
      create function net.http_post(url text, headers jsonb, body jsonb, timeout_milliseconds integer) returns bigint
        language sql as 'select length(url || headers::text)::bigint';
      create view vault.decrypted_secrets as
        select name, name as decrypted_secret from (values ('project_url'), ('service_key')) as secrets (name);
      grant usage on schema cron, net, vault to platform_owner;
      grant select on cron.job, vault.decrypted_secrets to platform_owner;
      grant execute on all functions in schema cron, net to platform_owner;`);
    await platform.close();
    const page = readFileSync(join(root, "supabase/functions/README.md"), "utf8");
    const commands = /```sql\n(create extension[^]*?)```/
      .exec(page)![1]!
      .replaceAll(/^create extension.*$/gm, "");
    const owner = project.asService("the SQL editor");
    await owner.query(commands);
    const { rows } = await owner.query<{ command: string }>("select command from cron.job");
    expect(rows.length).toBe(9);
    for (const { command } of rows) expect((await owner.query(command)).rows).toHaveLength(1);
  });

  it("lets an administrator sign a person out, remove their second steps, and block them", async () => {
    const [admin, person] = ["00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2"];
    const made = project.asService("the auth service");
    await made.query(
      `insert into auth.users (id, email, email_confirmed_at) select id, id || '@people.test', now() from unnest($1::uuid[]) as id`,
      [[admin, person]],
    );
    await made.query("insert into public.user_roles (user_id, role) values ($1, 'admin')", [admin]);
    await made.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
      [person],
    );
    const ask = (call: string) =>
      project.run(
        { claims: { role: "authenticated", sub: admin } },
        { text: `select public.${call} as answer`, values: [person, "Asked for it"] },
      );
    for (const call of ["sign_out_user", "remove_second_steps", "block_user", "unblock_user"]) {
      await made.query("insert into auth.sessions (id, user_id) values (gen_random_uuid(), $1)", [person]);
      expect((await ask(`${call}($1, $2)`)).rows).toHaveLength(1);
    }
    // Lifting a block does not end sessions.
    const { rows } = await made.query(
      "select (select count(*)::int from auth.mfa_factors) as steps, (select count(*)::int from auth.sessions) as sessions",
    );
    expect(rows).toEqual([{ steps: 0, sessions: 1 }]);
  });
});

it("anon has TRUNCATE nowhere, nor has any role that requests become, nor will they on later tables", async () => {
  const truncatable = `select format('%s: %s', role, oid::regclass) as line
    from pg_class, unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) as role
    where relkind in ('r', 'p', 'f') and has_table_privilege(role, oid, 'truncate')
    union all select format('later tables: %s', acl.grantee::regrole) from pg_default_acl, aclexplode(defaclacl) as acl
    where defaclobjtype = 'r' and acl.privilege_type = 'TRUNCATE' and acl.grantee <> defaclrole`;
  for (const database of [project, ours.database]) expect(await linesOf(database, truncatable)).toEqual([]);
});
