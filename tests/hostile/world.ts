// The shop that is attacked: what it has (tables, columns, functions), who calls it, and the proof that nothing was stolen or
// left there. Also the honest visitor's accounts.
import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type { Festival } from "../support/server/festival.ts";

export interface World {
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly routines: readonly { readonly name: string; readonly parameters: readonly string[] }[];
  /** Values that exist: a request with one of them gets further. */
  readonly ids: readonly string[];
  readonly anonKey: string;
  /**
   * The tokens of a visitor, a buyer and an administrator, in this order; renewed now and then, since they may be signed out.
   */
  tokens: readonly string[];
}

export async function readWorld(festival: Festival, database: Client): Promise<World> {
  const { rows: tables } = await database.query<World["tables"][number]>(
    `select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = 'public' group by 1 order by 1`,
  );
  const { rows: routines } = await database.query<World["routines"][number]>(
    `select proname as name, coalesce(proargnames, '{}') as parameters from pg_proc
     where pronamespace = 'public'::regnamespace order by 1`,
  );
  const { rows: ids } = await database.query<{ id: string }>(
    "select id::text from public.ticket_types union all select id::text from public.parking_passes union all select id::text from auth.users",
  );
  return {
    tables,
    routines,
    ids: ids.map(({ id }) => id),
    anonKey: festival.status.ANON_KEY!,
    tokens: await newTokens(festival, database),
  };
}

export async function newTokens(festival: Festival, database: Client): Promise<readonly string[]> {
  const [buyer, admin] = await Promise.all([account(festival), account(festival)]);
  await database.query(
    "insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict do nothing",
    [admin.id],
  );
  return [festival.status.ANON_KEY!, buyer.token, admin.token];
}

export async function account(
  festival: Festival,
): Promise<{ id: string; email: string; password: string; token: string }> {
  const { API_URL, SERVICE_ROLE_KEY, ANON_KEY } = festival.status;
  const email = `${randomUUID()}@honest.test`;
  const password = "purple slab cruise";
  const call = async (path: string, key: string, body: object) => {
    const answer = await fetch(`${API_URL}/auth/v1/${path}`, {
      method: "POST",
      headers: {
        apikey: key,
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-forwarded-for": "203.0.113.9",
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; access_token: string };
  };
  const { id } = await call("admin/users", SERVICE_ROLE_KEY!, { email, password, email_confirm: true });
  const { access_token: token } = await call("token?grant_type=password", ANON_KEY!, { email, password });
  return { id, email, password, token };
}

/** A table that nobody has a grant for, and everything around it. */
export async function plantCanary(database: Client): Promise<() => Promise<string[]>> {
  await database.query(
    "create table public.canary (id int primary key, note text); insert into public.canary values (1, 'alive'), (2, 'alive')",
  );
  const look = async () => ({
    canary: (await database.query("select id, note from public.canary order by id")).rows,
    objects: (
      await database.query(
        `select relnamespace::regnamespace::text || '.' || relname as name from pg_class
         where relnamespace::regnamespace::text !~ '^pg_(toast|temp)' union all
         select 'function ' || oid::regprocedure::text from pg_proc union all
         select 'role ' || rolname || rolsuper || rolbypassrls from pg_roles union all
         select 'grant ' || roleid::regrole || ' to ' || member::regrole from pg_auth_members order by 1`,
      )
    ).rows.map(({ name }) => name as string),
  });
  const before = await look();
  return async () => {
    const after = await look();
    const known = new Set(before.objects);
    const left = new Set(after.objects);
    return [
      ...(JSON.stringify(after.canary) === JSON.stringify(before.canary)
        ? []
        : ["the canary table was changed"]),
      ...after.objects.filter((name) => !known.has(name)).map((name) => `${name} was made`),
      ...before.objects.filter((name) => !left.has(name)).map((name) => `${name} is gone`),
    ];
  };
}
