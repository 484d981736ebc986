// Reads the catalog for the schema cache. The search path is empty meanwhile, so that every type and default comes out
// qualified.
import type { Database } from "../../postgres/database.ts";
import { CATALOG_READER } from "../settings.ts";
import type { Column } from "./model.ts";

interface TableRow {
  readonly oid: number;
  readonly name: string;
  readonly is_view: boolean;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly columns: readonly (Column & { readonly number: number })[];
  readonly primary_key: readonly string[];
  readonly description: string | null;
}

interface ViewRow {
  readonly oid: number;
  /** Its parsed query, in PostgreSQL's own notation. */
  readonly rule: string;
}

export interface ForeignKeyRow {
  readonly name: string;
  readonly table: number;
  readonly foreign_table: number;
  readonly columns: readonly number[];
  readonly foreign_columns: readonly number[];
  /** The referencing columns are unique. */
  readonly one_to_one: boolean;
}

/** Columns of tables outside the exposed schema are included: views of the exposed schema may show them. */
interface KeyColumnRow {
  readonly table: number;
  readonly number: number;
  readonly name: string;
  readonly in_primary_key: boolean;
}

interface RoutineRow {
  readonly oid: number;
  readonly name: string;
  readonly declared_type: string;
  readonly settings: readonly string[];
  readonly description: string | null;
  readonly parameters: readonly { name: string; type: string; required: boolean; variadic: boolean }[];
  readonly return_type: string;
  readonly returns: "void" | "scalar" | "row" | "record";
  readonly returns_set: boolean;
  readonly volatility: "i" | "s" | "v";
}

interface ComputedRow {
  readonly function: string;
  readonly table: string;
  readonly foreign_table: string;
  readonly to_one: boolean;
}

interface TypeRow {
  readonly name: string;
  readonly schema: string;
}

export interface Catalog {
  readonly schema: string;
  readonly description: string | null;
  readonly tables: readonly TableRow[];
  /** Views of the other schemas too, over which views of this one may be made. */
  readonly views: readonly ViewRow[];
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly primaryKeyColumns: readonly KeyColumnRow[];
  readonly routines: readonly RoutineRow[];
  readonly computed: readonly ComputedRow[];
  readonly types: readonly TypeRow[];
}

/** All queries are sent at once, because the first request after a start waits for the answers. */
export const readCatalog = (
  database: Database,
  schema: string,
  viewSchemas: readonly string[],
): Promise<Catalog> =>
  database.transaction(CATALOG_READER, async (tx) => {
    const rows = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
      (await tx.query<T>(text, values)).rows;
    const [tables, views, foreignKeys, primaryKeyColumns, routines, computed, types, described] =
      await Promise.all([
        rows<TableRow>(TABLES, [schema]),
        rows<ViewRow>(VIEWS, [[schema, ...viewSchemas]]),
        rows<ForeignKeyRow>(FOREIGN_KEYS),
        rows<KeyColumnRow>(PRIMARY_KEY_COLUMNS),
        rows<RoutineRow>(ROUTINES, [schema]),
        rows<ComputedRow>(COMPUTED, [schema]),
        rows<TypeRow>(TYPES, [schema]),
        rows<{ description: string | null }>(DESCRIPTION, [schema]),
      ]);
    const description = described[0]?.description ?? null;
    return { schema, description, tables, views, foreignKeys, primaryKeyColumns, routines, computed, types };
  });

const DESCRIPTION = `select obj_description(oid, 'pg_namespace') as description from pg_namespace where nspname = $1`;

// pg_relation_is_updatable returns a bit for each command: 4 update, 8 insert, 16 delete.
const TABLES = `
select c.oid::int8::float8 as oid, c.relname as name, c.relkind in ('v', 'm') as is_view,
  c.relkind in ('r', 'p') or c.relkind <> 'm' and pg_relation_is_updatable(c.oid, true) & 8 = 8 as insertable,
  c.relkind in ('r', 'p') or c.relkind <> 'm' and pg_relation_is_updatable(c.oid, true) & 4 = 4 as updatable,
  c.relkind in ('r', 'p') or c.relkind <> 'm' and pg_relation_is_updatable(c.oid, true) & 16 = 16 as deletable,
  coalesce((
    select json_agg(json_build_object('number', a.attnum, 'name', a.attname,
      'type', format_type(a.atttypid, a.atttypmod),
      'baseType', case when t.typtype = 'd' then format_type(t.typbasetype, null) else format_type(a.atttypid, null) end,
      'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
      'maxLength', case when a.atttypid in ('bpchar'::regtype, 'varchar'::regtype) and a.atttypmod > 4 then a.atttypmod - 4 end,
      'enum', coalesce((select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
        where e.enumtypid in (a.atttypid, t.typbasetype)), '[]'),
      'description', col_description(c.oid, a.attnum),
      'default', case
        when a.attgenerated <> '' then null
        when a.attidentity = 'd' then (
          select format('nextval(%L)', format('%I.%I', sn.nspname, sequence.relname))
          from pg_depend owns join pg_class sequence on sequence.oid = owns.objid and sequence.relkind = 'S'
          join pg_namespace sn on sn.oid = sequence.relnamespace
          where owns.classid = 'pg_class'::regclass and owns.refclassid = 'pg_class'::regclass
            and owns.refobjid = c.oid and owns.refobjsubid = a.attnum and owns.deptype = 'i')
        when d.adbin is not null then pg_get_expr(d.adbin, d.adrelid)
        else pg_get_expr(t.typdefaultbin, 0)
      end) order by a.attnum)
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ), '[]') as columns,
  coalesce((
    select json_agg(a.attname order by k.position)
    from pg_constraint p cross join unnest(p.conkey) with ordinality as k (number, position)
    join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.number
    where p.conrelid = c.oid and p.contype = 'p'
  ), '[]') as primary_key,
  obj_description(c.oid, 'pg_class') as description
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
order by c.relname`;

const VIEWS = `
select c.oid::int8::float8 as oid, r.ev_action::text as rule
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where n.nspname = any ($1) and c.relkind in ('v', 'm')
order by c.oid`;

const FOREIGN_KEYS = `
select k.conname as name, k.conrelid::int8::float8 as table, k.confrelid::int8::float8 as foreign_table,
  to_json(k.conkey) as columns, to_json(k.confkey) as foreign_columns,
  exists (
    select from pg_constraint u
    where u.conrelid = k.conrelid and u.contype in ('p', 'u') and u.conkey @> k.conkey and u.conkey <@ k.conkey
  ) as one_to_one
from pg_constraint k
where k.contype = 'f' and k.conparentid = 0
order by k.conrelid, k.conname`;

const PRIMARY_KEY_COLUMNS = `
select a.attrelid::int8::float8 as table, a.attnum as number, a.attname as name, a.attnum = any (p.conkey) as in_primary_key
from pg_constraint p join pg_attribute a on a.attrelid = p.conrelid and a.attnum = any (p.conkey)
where p.contype = 'p'`;

// Functions with unnamed parameters cannot be called by name; one unnamed parameter takes the whole body.
const ROUTINES = `
select p.oid::int8::float8 as oid, p.proname as name, declared.typname as declared_type,
  obj_description(p.oid, 'pg_proc') as description,
  coalesce(args.list, '[]') as parameters, coalesce(rel.relname, t.typname) as return_type,
  case when t.oid = 'pg_catalog.void'::regtype then 'void' when t.typtype = 'c' then 'row'
    when p.proargmodes::text[] && '{t,b,o}' then 'record' else 'scalar' end as returns,
  p.proretset as returns_set, p.provolatile as volatility
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type declared on declared.oid = p.prorettype
join lateral (
  with recursive base as (
    select oid, typbasetype from pg_type where oid = p.prorettype
    union all
    select b.oid, b.typbasetype from base join pg_type b on b.oid = base.typbasetype
  )
  select oid from base where typbasetype = 0
) final on true
join pg_type t on t.oid = final.oid
left join pg_class rel on rel.oid = t.typrelid
left join lateral (
  select json_agg(json_build_object('name', a.name, 'type', a.type::regtype::text,
      'required', a.position <= p.pronargs - p.pronargdefaults, 'variadic', a.mode = 'v') order by a.position) as list,
    count(*) filter (where a.name = '') as unnamed, count(*) as total,
    bool_or(a.type in ('bytea'::pg_catalog.regtype, 'json'::pg_catalog.regtype, 'jsonb'::pg_catalog.regtype,
      'text'::pg_catalog.regtype, 'xml'::pg_catalog.regtype)) as takes_body
  from (
    select coalesce(given.name, '') as name, given.type, given.mode, row_number() over (order by given.place) as position
    from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes)
      with ordinality as given (name, type, mode, place)
    where coalesce(given.mode, 'i') in ('i', 'b', 'v')
  ) a
) args on true
where n.nspname = $1 and p.prokind = 'f' and t.oid <> 'pg_catalog.trigger'::regtype
  and t.oid <> 'pg_catalog.event_trigger'::regtype
  and (coalesce(args.unnamed, 0) = 0 or args.unnamed = 1 and args.total = 1 and args.takes_body)
order by p.proname, p.pronargs`;

const COMPUTED = `
select p.proname as function, source.relname as table, target.relname as foreign_table,
  not p.proretset or p.prorows = 1 as to_one
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_class source on source.reltype = p.proargtypes[0] and source.relkind in ('r', 'p', 'v', 'm', 'f')
join pg_class target on target.reltype = p.prorettype and target.relkind in ('r', 'p', 'v', 'm', 'f')
where p.pronargs = 1 and n.nspname = $1 and source.relnamespace = n.oid and target.relnamespace = n.oid`;

const TYPES = `
select t.typname as name, n.nspname as schema
from pg_type t join pg_namespace n on n.oid = t.typnamespace
where n.nspname in ('pg_catalog', 'extensions', $1) and t.typtype in ('b', 'd', 'e', 'r', 'm', 'c')`;
