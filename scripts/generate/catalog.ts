// Reads the public schema out of PostgreSQL's catalog. Owns those queries. Everything comes in a fixed order, so that
// equal schemas give equal texts.
import type { Executor } from "../../server/src/postgres/executor.ts";

export interface Column {
  readonly name: string;
  /** As SQL writes it, e.g. numeric(10,2). */
  readonly type: string;
  readonly baseType: TypeName;
  readonly nullable: boolean;
  readonly default: string | null;
  /** "a" always, "d" by default, "" none. */
  readonly identity: "" | "a" | "d";
  readonly generated: boolean;
}

/** A type's name without the brackets of an array, and the schema that owns it. */
export interface TypeName {
  readonly schema: string;
  readonly name: string;
  readonly array: boolean;
}

interface Constraint {
  readonly name: string;
  /** p primary key, u unique, f foreign key, c check, x exclusion */
  readonly kind: "p" | "u" | "f" | "c" | "x";
  readonly definition: string;
  readonly columns: readonly string[];
  /** Foreign keys only. */
  readonly references: {
    readonly schema: string;
    readonly table: string;
    readonly columns: readonly string[];
  } | null;
}

export interface Table {
  readonly name: string;
  /** r table, v view, m materialized view, p partitioned table */
  readonly kind: "r" | "v" | "m" | "p";
  readonly unlogged: boolean;
  readonly options: readonly string[];
  readonly rowSecurity: boolean;
  readonly definition: string | null;
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly string[];
  readonly triggers: readonly string[];
  readonly policies: readonly Policy[];
  /** One entry per role and privilege: "grant select on … to …" without the object. */
  readonly grants: readonly { readonly role: string; readonly privileges: readonly string[] }[];
}

export interface Policy {
  readonly name: string;
  readonly command: string;
  readonly permissive: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

export interface Routine {
  readonly name: string;
  readonly signature: string;
  readonly definition: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly type: TypeName;
    readonly optional: boolean;
  }[];
  /** Columns of RETURNS TABLE (…) or of OUT arguments; empty otherwise. */
  readonly outputs: readonly { readonly name: string; readonly type: TypeName }[];
  readonly returns: TypeName;
  readonly setof: boolean;
  readonly trigger: boolean;
  /** Which of the API's three roles may call it. */
  readonly callers: readonly string[];
}

interface Enumeration {
  readonly name: string;
  readonly labels: readonly string[];
}

interface CompositeType {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

/** What the festival's sections may contain, and the facts that their texts may name. */
export interface SectionShapes {
  /** JSON, laid out as in the migration. */
  readonly shapes: string;
  readonly names: readonly string[];
}

export interface Catalog {
  readonly tables: readonly Table[];
  readonly routines: readonly Routine[];
  readonly enumerations: readonly Enumeration[];
  readonly compositeTypes: readonly CompositeType[];
  /** Tables of public in the publication that realtime reads. */
  readonly published: readonly string[];
  readonly shapes: SectionShapes;
}

export async function readCatalog(database: Executor): Promise<Catalog> {
  await database.query("set search_path = ''"); // so that the catalog's own texts qualify every name
  const read = async <T>(text: string) =>
    (await database.query<{ value: T }>(text)).rows.map((row) => row.value);
  return {
    tables: await read<Table>(TABLES),
    routines: await read<Routine>(ROUTINES),
    enumerations: await read<Enumeration>(ENUMERATIONS),
    compositeTypes: await read<CompositeType>(COMPOSITE_TYPES),
    published: await read<string>(PUBLISHED),
    shapes: (await read<SectionShapes>(SHAPES))[0]!,
  };
}

/** jsonb {schema, name, array} of the type whose oid the SQL expression gives; a domain counts as its base. */
const typeName = (oid: string) => `(
  select jsonb_build_object('schema', n.nspname, 'name', e.typname, 'array', t.typcategory = 'A')
  from pg_catalog.pg_type t
  join pg_catalog.pg_type e on e.oid = case
    when t.typcategory = 'A' then t.typelem when t.typtype = 'd' then t.typbasetype else t.oid end
  join pg_catalog.pg_namespace n on n.oid = e.typnamespace
  where t.oid = ${oid})`;

const columnNames = (relation: string, numbers: string) => `(
  select jsonb_agg(a.attname order by keyed.place)
  from unnest(${numbers}) with ordinality keyed (number, place)
  join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = keyed.number)`;

const list = (select: string) => `coalesce((${select}), '[]')`;

const COLUMNS = list(`select jsonb_agg(jsonb_build_object(
    'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
    'baseType', ${typeName("a.atttypid")}, 'nullable', not a.attnotnull,
    'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid),
    'identity', a.attidentity, 'generated', a.attgenerated <> '') order by a.attnum)
  from pg_catalog.pg_attribute a
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`);

// PostgreSQL 18 also lists NOT NULL as constraints (kind n); the columns already include that.
const CONSTRAINTS = list(`select jsonb_agg(jsonb_build_object(
    'name', k.conname, 'kind', k.contype, 'definition', pg_catalog.pg_get_constraintdef(k.oid, true),
    'columns', coalesce(${columnNames("k.conrelid", "k.conkey")}, '[]'),
    'references', case when k.contype = 'f' then jsonb_build_object(
      'schema', fn.nspname, 'table', f.relname, 'columns', ${columnNames("k.confrelid", "k.confkey")}) end)
    order by pg_catalog.strpos('pufcx', k.contype::text), k.conname)
  from pg_catalog.pg_constraint k
  left join pg_catalog.pg_class f on f.oid = k.confrelid
  left join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')`);

const INDEXES = list(`select jsonb_agg(pg_catalog.pg_get_indexdef(i.indexrelid) order by ic.relname)
  from pg_catalog.pg_index i join pg_catalog.pg_class ic on ic.oid = i.indexrelid
  where i.indrelid = c.oid
    and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid)`);

const TRIGGERS = list(`select jsonb_agg(pg_catalog.pg_get_triggerdef(t.oid, true) order by t.tgname)
  from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal`);

const POLICIES = list(`select jsonb_agg(jsonb_build_object(
    'name', p.policyname, 'command', lower(p.cmd), 'permissive', p.permissive = 'PERMISSIVE',
    'roles', to_jsonb(p.roles), 'using', p.qual, 'check', p.with_check) order by p.policyname)
  from pg_catalog.pg_policies p where p.schemaname = 'public' and p.tablename = c.relname`);

const GRANTS =
  list(`select jsonb_agg(jsonb_build_object('role', g.role, 'privileges', g.privileges) order by g.role)
  from (
    select role, jsonb_agg(privilege order by privilege) as privileges
    from (
      select acl.grantee::regrole::text as role, lower(acl.privilege_type) as privilege
      from pg_catalog.aclexplode(c.relacl) acl where acl.grantee <> c.relowner and acl.grantee <> 0
      union all
      select acl.grantee::regrole::text, lower(acl.privilege_type) || ' (' || string_agg(a.attname, ', ' order by a.attnum) || ')'
      from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) acl
      where a.attrelid = c.oid and acl.grantee <> c.relowner and acl.grantee <> 0
      group by acl.grantee, acl.privilege_type
    ) held group by role
  ) g`);

const TABLES = `select jsonb_build_object(
    'name', c.relname, 'kind', c.relkind, 'unlogged', c.relpersistence = 'u',
    'options', coalesce(to_jsonb(c.reloptions), '[]'), 'rowSecurity', c.relrowsecurity,
    'definition', case when c.relkind in ('v', 'm') then pg_catalog.pg_get_viewdef(c.oid, true) end,
    'columns', ${COLUMNS}, 'constraints', ${CONSTRAINTS}, 'indexes', ${INDEXES}, 'triggers', ${TRIGGERS},
    'policies', ${POLICIES}, 'grants', ${GRANTS}) as value
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
  order by c.relname`;

const ROUTINES = `select jsonb_build_object(
    'name', p.proname, 'signature', p.oid::regprocedure::text,
    'definition', pg_catalog.pg_get_functiondef(p.oid),
    'arguments', coalesce((
      select jsonb_agg(jsonb_build_object('name', p.proargnames[i.place], 'type', ${typeName("i.type")},
        'optional', i.place > p.pronargs - p.pronargdefaults) order by i.place)
      from unnest(p.proargtypes::oid[]) with ordinality i (type, place)), '[]'),
    'outputs', coalesce((
      select jsonb_agg(jsonb_build_object('name', p.proargnames[o.place], 'type', ${typeName("o.type")}) order by o.place)
      from unnest(p.proallargtypes, p.proargmodes) with ordinality o (type, mode, place)
      where o.mode in ('o', 't')), '[]'),
    'returns', ${typeName("p.prorettype")}, 'setof', p.proretset,
    'trigger', p.prorettype in ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype),
    'callers', (
      select coalesce(jsonb_agg(role order by role), '[]')
      from unnest(array['anon', 'authenticated', 'service_role']) role
      where pg_catalog.has_function_privilege(role, p.oid, 'execute'))) as value
  from pg_catalog.pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname, p.oid::regprocedure::text`;

const ENUMERATIONS = `select jsonb_build_object('name', t.typname, 'labels', jsonb_agg(e.enumlabel order by e.enumsortorder)) as value
  from pg_catalog.pg_type t join pg_catalog.pg_enum e on e.enumtypid = t.oid
  where t.typnamespace = 'public'::regnamespace
  group by t.typname order by t.typname`;

// By oid, so that a type comes before those built from it.
const COMPOSITE_TYPES = `select jsonb_build_object('name', c.relname, 'fields', (
    select jsonb_agg(jsonb_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod))
      order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) as value
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'c' order by c.oid`;

const PUBLISHED = `select tablename as value from pg_catalog.pg_publication_tables
  where pubname = 'supabase_realtime' and schemaname = 'public' order by tablename`;

const SHAPES = `select json_build_object('shapes', public.festival_shapes()::text, 'names', public.fact_names()) as value`;
