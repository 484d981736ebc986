// The one statement of a request: it aggregates the plan's rows into a single row of total, page size, body and what SQL
// set for the response.
import type { Media, PlanOptions } from "../parse/media.ts";
import type { ApiRequest } from "../parse/request.ts";
import type { Plan } from "../plan/plan.ts";
import { type Routine, returnsColumns } from "../schema/model.ts";
import { boundedRows, PIECE, withinBytes } from "./bounded.ts";
import { callSql, ROW as TYPED_ROW, SCALAR } from "./call.ts";
import { tableSql } from "./condition.ts";
import { EMPTY, identifier, list, literal, raw, sql, type Sql } from "./fragment.ts";
import { mutationSql, UPDATED } from "./mutate.ts";
import { countSql, readSql, SOURCE } from "./read.ts";

export interface Answer {
  /** The number of rows without limits; null unless it was requested. */
  readonly total: number | null;
  /** Rows in this answer. */
  readonly rows: number;
  /** Bytes where a function returns them. */
  readonly body: string | Buffer;
  /** The settings response.headers and response.status, if SQL set them. */
  readonly headers: string | null;
  readonly status: string | null;
  /** Rows of an upsert that already existed. */
  readonly updated: number;
  /** The primary key of the one row inserted, as a filter for its address. */
  readonly location: readonly string[] | null;
}

export type ExecutablePlan = Extract<Plan, { kind: "read" | "mutate" | "call" }>;

export interface AnswerLimits {
  readonly maxRows: number | undefined;
  readonly maxBytes: number;
}

export function requestSql(plan: ExecutablePlan, request: ApiRequest, limits: AnswerLimits): Sql {
  const { maxRows, maxBytes } = limits;
  const source = sourceSql(plan, maxBytes);
  const count = countCte(plan, request, maxRows);
  const total = count === EMPTY ? raw("null") : raw("(select count(*) from pgrst_count)");
  const rows = rowsSql(plan, request, maxBytes);
  const { body, from } = bodySql(plan, request, rows, maxBytes);
  return sql`with ${SOURCE} as (${source})${count}
select ${total}::float8 as total, count(*)::float8 as rows, ${body} as body,
  nullif(current_setting('response.headers', true), '') as headers,
  nullif(current_setting('response.status', true), '') as status,
  ${plan.kind === "mutate" && plan.mutation.conflict ? UPDATED : raw("0")} as updated,
  ${locationSql(plan, request)} as location
from ${from} pgrst_answer`;
}

/** The planner's estimate of the root's rows, for an estimated total. */
export const estimateSql = (plan: ExecutablePlan): Sql =>
  sql`explain (format json) ${countSql(plan.read, rootSql(plan))}`;

/** How PostgreSQL would answer the request, or, with `analyze`, how it did. */
export function explainSql({ format, options }: PlanOptions, statement: Sql): Sql {
  return sql`explain (${raw(["format " + format, ...options].join(", "))}) ${statement}`;
}

function sourceSql(plan: ExecutablePlan, maxBytes: number): Sql {
  if (plan.kind === "mutate") return mutationSql(plan.mutation);
  if (plan.kind === "call") return callSql(plan.call);
  return readSql(plan.read, rootSql(plan), maxBytes);
}

function rootSql(plan: ExecutablePlan): Sql {
  const { kind, read } = plan;
  if (kind === "read") return tableSql(read.schema, read.tableName);
  const name = identifier(read.tableName);
  // What unnest returns has the row's type, unlike a row of the common table expression.
  const typed = kind === "call" && plan.call.typed;
  return typed ? sql`${SOURCE}, unnest(array[${SOURCE}.${TYPED_ROW}]) as ${name}` : sql`${SOURCE} as ${name}`;
}

/** The rows of the answer; a mutation that returns nothing only has them counted. */
function rowsSql(plan: ExecutablePlan, { preferences }: ApiRequest, maxBytes: number): Sql {
  if (plan.kind === "read") return sql`select * from ${SOURCE}`;
  if (plan.kind === "mutate" && preferences.return !== "representation") return sql`select * from ${SOURCE}`;
  return readSql(plan.read, rootSql(plan), maxBytes);
}

/** An estimate only needs to know whether there are more rows than fit on a page. */
function countCte(plan: ExecutablePlan, { preferences }: ApiRequest, maxRows: number | undefined): Sql {
  if (plan.kind === "mutate" || preferences.count === undefined || preferences.count === "planned")
    return EMPTY;
  const limit =
    preferences.count === "estimated" && maxRows !== undefined ? raw(` limit ${maxRows + 1}`) : EMPTY;
  return sql`, pgrst_count as (${countSql(plan.read, rootSql(plan))}${limit})`;
}

/** The answer's text, and the rows it is built from. */
interface Body {
  readonly body: Sql;
  readonly from: Sql;
}

const ROW = raw("_postgrest_t");

function bodySql(
  plan: ExecutablePlan,
  { action, preferences }: ApiRequest,
  rows: Sql,
  maxBytes: number,
): Body {
  const silent =
    (action.kind === "mutate" && preferences.return !== "representation") ||
    ((action.kind === "read" || action.kind === "call") && action.headersOnly);
  if (silent) return { body: raw("''"), from: sql`(${rows})` };
  const routine = plan.kind === "call" ? plan.call.routine : undefined;
  switch (plan.media.format) {
    case "csv":
      return csvSql(rows, maxBytes);
    case "geojson":
      return geoJsonSql(rows, maxBytes);
    case "raw":
      return rawSql(routine!, rows, maxBytes);
    default:
      return jsonSql(plan.media, routine, rows, maxBytes);
  }
}

function geoJsonSql(rows: Sql, maxBytes: number): Body {
  const features = sql`coalesce(json_agg(${PIECE})${withinBytes(maxBytes)}, '[]')`;
  return {
    body: sql`json_build_object('type', 'FeatureCollection', 'features', ${features})::text`,
    from: boundedRows(rows, ROW, sql`ST_AsGeoJSON(${ROW})::json`),
  };
}

/** The single value of a function, unchanged. */
function rawSql({ returnType }: Routine, rows: Sql, maxBytes: number): Body {
  const type = raw(returnType === "bytea" ? "bytea" : "text");
  return {
    body: sql`(array_agg(${PIECE})${withinBytes(maxBytes)})[1]`,
    from: boundedRows(rows, ROW, sql`${ROW}.${SCALAR}::${type}`),
  };
}

function jsonSql(
  { format, stripNulls }: Media,
  routine: Routine | undefined,
  rows: Sql,
  maxBytes: number,
): Body {
  const scalar = routine !== undefined && !returnsColumns(routine);
  const piece = scalar ? sql`to_json(${ROW}.${SCALAR})` : sql`row_to_json(${ROW})`;
  const gathered = sql`json_agg(${PIECE})${withinBytes(maxBytes)}`;
  const all = stripNulls ? sql`json_strip_nulls(${gathered})` : gathered;
  const single = format === "object" || (routine !== undefined && !routine.returnsSet);
  return {
    body: single ? sql`coalesce((${all}->0)::text, 'null')` : sql`coalesce((${all})::text, '[]')`,
    from: boundedRows(rows, ROW, piece),
  };
}

/**
 * The header comes from the first row's JSON keys, the lines from PostgreSQL's own text of a row, without its
 * parentheses.
 */
function csvSql(rows: Sql, maxBytes: number): Body {
  const names = raw(`(select string_agg(name, ',') from json_object_keys(row_to_json(_postgrest_t)) name)`);
  const line = raw(`substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2)`);
  const piece = sql`case when row_number() over () = 1 then ${names} || E'\\n' else '' end || ${line}`;
  return {
    body: sql`coalesce(string_agg(${PIECE}, E'\\n')${withinBytes(maxBytes)}, E'\\n')`,
    from: boundedRows(rows, ROW, piece),
  };
}

function locationSql(plan: ExecutablePlan, { preferences }: ApiRequest): Sql {
  if (plan.kind !== "mutate" || plan.mutation.kind !== "insert" || preferences.return !== "headers-only") {
    return raw("null::text[]");
  }
  const key = plan.mutation.table.primaryKey;
  if (key.length === 0) return raw("null::text[]");
  return sql`case when count(*) = 1 then (
    select array_agg(field.key || '=' || coalesce('eq.' || field.value, 'is.null'))
    from (select row_to_json(inserted) as row from ${SOURCE} inserted limit 1) one, json_each_text(one.row) field
    where field.key in (${list(key.map(literal))})
  ) end`;
}
