// Each table's grants, policies and columns are as decided in table-decisions.ts. The catalog is read, not rows: a new table is empty.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { behind, closed, columns, readable, visits, writable } from "./table-decisions.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db?.close());

interface Relation {
  readonly name: string;
  readonly kind: string;
  readonly secured: boolean;
  /** PostgreSQL refuses a write to any other before it looks at rights, which the API answers as the server's fault. */
  readonly is_updatable: boolean;
  readonly columns: string;
  /** By role and privilege, the columns: granted one by one, or all of them. */
  readonly grants: Readonly<Record<string, string>>;
  readonly policies: readonly {
    readonly command: string;
    readonly permissive: boolean;
    readonly roles: string;
    readonly shows: string | null;
    readonly takes: string | null;
  }[];
}

const CATALOG = `select c.relname as name, c.relkind::text as kind, c.relrowsecurity as secured,
  pg_relation_is_updatable(c.oid, false) = 28 as is_updatable,
  (select string_agg(attname, ' ' order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
  (select coalesce(jsonb_object_agg(who, cols), '{}') from (
    select coalesce(r.rolname, 'public') || ' ' || g.privilege_type as who, coalesce(string_agg(g.col, ' ' order by g.at), '*') as cols
    from (select a.grantee, a.privilege_type, null as col, 0 as at from aclexplode(c.relacl) as a
      union all select a.grantee, a.privilege_type, t.attname, t.attnum from pg_attribute t, aclexplode(t.attacl) as a where t.attrelid = c.oid) as g
    left join pg_roles r on r.oid = g.grantee
    where coalesce(r.rolname, 'public') in ('public', 'anon', 'authenticated') group by 1) as granted) as grants,
  (select coalesce(jsonb_agg(jsonb_build_object('command', polcmd, 'permissive', polpermissive,
    'roles', (select coalesce(string_agg(rolname, ' ' order by rolname), 'public') from pg_roles where oid = any (polroles)),
    'shows', pg_get_expr(polqual, polrelid), 'takes', pg_get_expr(polwithcheck, polrelid))), '[]') from pg_policy where polrelid = c.oid) as policies
  from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by 1`;

/** What differs from the decisions, after the statements, which are rolled back. */
async function faults(...statements: string[]): Promise<string[]> {
  const found: string[] = [];
  const undone = new Error("rolled back");
  await db.database
    .asService("a test reads the catalog")
    .transaction(async (tx) => {
      for (const statement of statements) await tx.query(statement);
      const { rows } = await tx.query<Relation & Record<string, unknown>>(CATALOG);
      found.push(...differences(rows));
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return found;
}

function differences(relations: readonly Relation[]): string[] {
  const decided = [...Object.keys(readable), ...closed];
  const written = relations.flatMap(({ name, grants }) =>
    Object.entries(grants)
      .filter(([who]) => !who.endsWith(" SELECT"))
      .map(([who, cols]) => [`${who} ${name}`, cols] as const),
  );
  return [
    ...decided
      .filter((name) => !relations.some((relation) => relation.name === name))
      .map((name) => `${name}: is no table`),
    ...relations.flatMap((relation) =>
      decided.includes(relation.name) ? wrongIn(relation) : [`${relation.name}: undecided`],
    ),
    ...written.filter(([what, cols]) => writable[what] !== cols).map(([what, cols]) => `${what}: ${cols}`),
    ...Object.keys(writable)
      .filter((what) => !written.some(([is]) => is === what))
      .map((what) => `${what}: not granted`),
  ];
}

function wrongIn(relation: Relation): string[] {
  const { name, kind, secured, is_updatable, policies } = relation;
  const isView = name in behind && kind === "v";
  const problems = closed.includes(name) ? opened(relation) : overread(relation);
  if (!isView && (!secured || policies.length === 0)) problems.push("no row-level security");
  if (!is_updatable) problems.push("a write is refused before the rights are asked: use a function");
  return problems.map((problem) => `${name}: ${problem}`);
}

const opened = ({ grants, policies }: Relation) => [
  ...Object.keys(grants),
  ...policies
    .filter(({ shows, takes }) => shows !== "false" || (takes ?? "false") !== "false")
    .map(() => "a policy opens it"),
];

function overread({ name, grants, policies, columns: all }: Relation): string[] {
  const may = readable[name]!;
  const problems: string[] = [];
  for (const [who, cols] of Object.entries(grants)) {
    if (!who.endsWith(" SELECT")) continue;
    const isAllowed =
      who === "authenticated SELECT" ||
      (who === "anon SELECT" && (may.anon || (name === "site_visits" && cols === visits)));
    if (!isAllowed) problems.push(who);
    const seen = cols === "*" ? all : cols;
    if ((may.anon || may.buyer !== "none" || columns[name]) && seen !== columns[name])
      problems.push(`${who} of ${seen}`);
  }
  for (const { command, permissive, roles, shows } of policies) {
    if (!permissive || !["r", "*"].includes(command) || may.buyer === "all" || name === "site_visits")
      continue;
    const staff = ["admin", ...(may.staff ?? [])];
    const asked = [...(shows ?? "").matchAll(/'(\w+)'::text/g)].map(([, role]) => role!);
    const isStaffs = /\b(is_admin|has_role)\(/.test(shows ?? "") && !/ OR /.test(shows ?? "");
    const isOwn = may.buyer === "own" && /= \( SELECT auth\.uid\(\)/.test(shows ?? "");
    const isDecided =
      isOwn || (isStaffs && asked.every((role) => staff.includes(role) || /kind = '/.test(shows ?? "")));
    if (roles !== "authenticated" || !isDecided) problems.push(`${roles} see ${shows}`);
  }
  return problems;
}

it("every table is as decided", async () => {
  expect(await faults()).toEqual([]);
});

describe("it is noticed when", () => {
  const NEW = "create table public.planted (id int)";
  it.each([
    ["nobody decided about a table", [NEW], "planted: undecided"],
    ["a view is added", ["create view public.planted as select * from public.orders"], "planted: undecided"],
    [
      "a materialized view is added",
      ["create materialized view public.planted as select 1 as one"],
      "planted: undecided",
    ],
    ["visitors may read a table", ["grant select on public.orders to anon"], "orders: anon SELECT"],
    ["everybody may", ["grant select on public.outbox to public"], "outbox: public SELECT"],
    [
      "a service's table is granted",
      ["grant select (key) on public.rate_limits to authenticated"],
      "rate_limits: authenticated SELECT",
    ],
    [
      "a service's table has a policy",
      ["create policy x on public.rate_limits for select using (true)"],
      "rate_limits: a policy opens it",
    ],
    [
      "a policy shows all rows",
      ["create policy x on public.audit_logs for select to authenticated using (true)"],
      "audit_logs: authenticated see true",
    ],
    [
      "a policy shows another role's",
      [
        "create policy x on public.audit_logs for select to authenticated using ((select public.has_role('admin', 'gate')))",
      ],
      "audit_logs: authenticated see ",
    ],
    [
      "buyers get a column",
      ["alter table public.payments add column note text"],
      "payments: authenticated SELECT of payment_intent_id ",
    ],
    [
      "a column may be written",
      ["grant update (status) on public.orders to authenticated"],
      "authenticated UPDATE orders: status",
    ],
    [
      "a view cannot be written",
      [
        "do $$ begin execute 'create or replace view public.parking_passes as ' || rtrim(pg_get_viewdef('public.parking_passes'), ';') || ' limit 1'; end $$",
      ],
      "parking_passes: a write is refused",
    ],
    [
      "row-level security is off",
      ["alter table public.orders disable row level security"],
      "orders: no row-level security",
    ],
  ])("%s", async (_, statements, fault) => {
    expect(await faults(...statements)).toEqual([expect.stringContaining(fault)]);
  });
});
