// Insert, update and delete. The body is one bound parameter, which PostgreSQL expands by the table's column types.
import type { Payload } from "../parse/payload.ts";
import type { MutationPlan } from "../plan/plan.ts";
import type { Column } from "../schema/model.ts";
import { columnSql, plainConditionSql, tableSql, type Scope } from "./condition.ts";
import { bind, EMPTY, identifier, list, literal, raw, sql, type Sql } from "./fragment.ts";
import { whereSql } from "./read.ts";

export function mutationSql(plan: MutationPlan): Sql {
  switch (plan.kind) {
    case "insert":
    case "upsert":
      return insertSql(plan);
    case "update":
      return updateSql(plan);
    case "delete":
      return sql`delete from ${tableOf(plan)}${targetSql(plan)}${returningSql(plan)}`;
  }
}

function insertSql(plan: MutationPlan): Sql {
  const { columns, payload, applyDefaults, where } = plan;
  const names = list(columns.map(({ name }) => identifier(name)));
  const into = columns.length === 0 ? EMPTY : sql`(${names}) `;
  const rows =
    columns.length === 0
      ? emptyRowsSql(payload)
      : sql`select ${names} from ${rowsSql(payload, columns, applyDefaults)}${whereSql(
          where.map((condition) => plainConditionSql(PAYLOAD, condition)),
        )}`;
  return sql`insert into ${tableOf(plan)} ${into}${rows}${conflictSql(plan)}${returningSql(plan)}`;
}

const PAYLOAD: Scope = { qualifier: { alias: "pgrst_body" }, table: undefined };

const tableOf = ({ table }: MutationPlan): Sql => tableSql(table.schema, table.name);
const here = ({ table }: MutationPlan) => ({ schema: table.schema, table: table.name });

/** A row of defaults for `{}`, or for each `{}` of an array. */
const emptyRowsSql = ({ text, isObject }: Payload): Sql =>
  isObject ? raw("select") : sql`select from json_array_elements(${bind(text)}::json)`;

function conflictSql({ conflict, columns }: MutationPlan): Sql {
  if (!conflict || conflict.columns.length === 0) return EMPTY;
  const on = sql` on conflict (${list(conflict.columns.map(identifier))})`;
  if (conflict.action === "ignore" || columns.length === 0) return sql`${on} do nothing`;
  const set = columns.map(({ name }) => sql`${identifier(name)} = excluded.${identifier(name)}`);
  return sql`${on} do update set ${list(set)} where ${COUNT_UPDATED}`;
}

/** How many rows of an upsert already existed. `xmax` would show it too, but not through a view. */
export const UPDATED = raw("coalesce(nullif(current_setting('pgrst.updated', true), '')::int, 0)");
const COUNT_UPDATED = sql`set_config('pgrst.updated', (${UPDATED} + 1)::text, true) <> ''`;

function updateSql(plan: MutationPlan): Sql {
  const { columns, payload, applyDefaults, returning } = plan;
  // Nothing to set: no row changes, and the answer has the requested columns.
  if (columns.length === 0) {
    const none =
      returning.length === 0 ? raw("null") : list(returning.map((name) => columnSql(here(plan), name)));
    return sql`select ${none} from ${tableOf(plan)} where false`;
  }
  const set = columns.map(({ name }) => sql`${identifier(name)} = pgrst_body.${identifier(name)}`);
  const body = sql`(select * from ${rowsSql(payload, columns, applyDefaults)} limit 1) pgrst_body`;
  return sql`update ${tableOf(plan)} set ${list(set)} from ${body}${targetSql(plan)}${returningSql(plan)}`;
}

/** All rows that the filters match: since version 13 a limit does not choose among them. */
function targetSql(plan: MutationPlan): Sql {
  const scope: Scope = { qualifier: here(plan), table: plan.table };
  return whereSql(plan.where.map((condition) => plainConditionSql(scope, condition)));
}

function returningSql(plan: MutationPlan): Sql {
  const { returning } = plan;
  if (returning.length === 0) return raw(" returning 1");
  return sql` returning ${list(returning.map((name) => columnSql(here(plan), name)))}`;
}

/** The payload as a table of the given columns. Keys that a row lacks are null, or the column's default. */
export function rowsSql(
  { text, isObject }: Payload,
  columns: readonly Pick<Column, "name" | "type" | "default">[],
  applyDefaults: boolean,
): Sql {
  const typed = list(columns.map(({ name, type }) => sql`${identifier(name)} ${raw(type)}`));
  if (!applyDefaults) {
    const expand = raw(isObject ? "json_to_record" : "json_to_recordset");
    return sql`${expand}(${bind(text)}::json) as pgrst_body (${typed})`;
  }
  const pairs = columns.flatMap((column) =>
    column.default === null ? [] : [sql`${literal(column.name)}, ${raw(column.default)}`],
  );
  const defaults = sql`jsonb_build_object(${list(pairs)})`;
  if (isObject) return sql`jsonb_to_record(${defaults} || ${bind(text)}::jsonb) as pgrst_body (${typed})`;
  // Computed for each row, so that a default that differs each time (a sequence, a random id) does so.
  const rows = sql`(select jsonb_agg(${defaults} || item) as rows from jsonb_array_elements(${bind(text)}::jsonb) item)`;
  return sql`${rows} pgrst_defaults, jsonb_to_recordset(pgrst_defaults.rows) as pgrst_body (${typed})`;
}
