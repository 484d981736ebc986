// What a join may request: refuses a subscription that could never deliver.
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Database } from "../../postgres/database.ts";
import type { ChangeRequest } from "../channels/join.ts";
import * as queries from "../queries.ts";
import { AccessError } from "../access.ts";
import { type Condition, faultIn, FilterError, isPattern, parseFilter } from "./filter.ts";
import { createTimed, filterFault, raised } from "./filtering.ts";

/** Message for the subscriber. */
export class SubscriptionError extends Error {}

/** Throws SubscriptionError. */
export function parseConditions({ filter }: ChangeRequest): Condition[] {
  try {
    return filter ? parseFilter(filter) : [];
  } catch (error) {
    if (error instanceof FilterError) throw new SubscriptionError(error.message);
    throw error;
  }
}

/** The columns a subscription receives, in addition to the key; undefined for all. Throws SubscriptionError. */
export function parseSelect({ select, schema, table }: ChangeRequest): readonly string[] | undefined {
  if (typeof select === "string") {
    throw new SubscriptionError(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  const columns = Array.isArray(select) ? select.filter((each) => typeof each === "string") : [];
  if (columns.length === 0) return undefined;
  if (nameOrAny(schema) === null || nameOrAny(table) === null) {
    throw new SubscriptionError(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  return [...new Set(columns)].toSorted();
}

/** What the subscriber may spend on patterns, in milliseconds: trying one compiles it. */
export interface PatternTime {
  left(): number;
  spend(ms: number): void;
}

/** Checks the requests of one join. Each table they name is looked up once. */
export function createRequestCheck(database: Database, time: PatternTime) {
  const lookups = new Map<string, Promise<readonly queries.TableShape[]>>();

  function publishedTables({ schema, table }: ChangeRequest) {
    const names = [nameOrAny(schema), nameOrAny(table)] as const;
    const key = JSON.stringify(names);
    const lookup = lookups.get(key) ?? queries.publishedTables(database, ...names);
    lookups.set(key, lookup);
    return lookup;
  }

  async function faultOf(
    claims: Claims,
    table: queries.TableShape,
    conditions: readonly Condition[],
  ): Promise<string | undefined> {
    if (!conditions.some(isPattern)) return filterFault(database, claims, table, conditions);
    if (time.left() <= 0) throw new AccessError("Filters of this network take too long to evaluate");
    const timed = createTimed(database);
    try {
      return await filterFault(timed, claims, table, conditions);
    } finally {
      time.spend(timed.spentMs());
    }
  }

  /**
   * Throws SubscriptionError for a table that is not published, or a filter that its columns cannot be compared
   * with; AccessError when the subscriber's patterns have taken too long.
   */
  return async (claims: Claims, request: ChangeRequest): Promise<void> => {
    const tables = await publishedTables(request);
    const conditions = parseConditions(request);
    const select = parseSelect(request);
    if (tables.length === 0) throw new SubscriptionError(notPublished(request, conditions, select));
    if (conditions.length === 0 && select === undefined) return;
    const refuse = (reason: string) => {
      throw new SubscriptionError(impossible(request, conditions, select, reason));
    };
    const readable = await Promise.all(
      tables.map((table) => queries.readableColumns(database, claims, table.oid)),
    );
    const mayRead = (column: string) => readable.some((columns) => columns.has(column));
    for (const { column } of conditions) {
      if (!mayRead(column)) refuse(raised(`invalid column for filter ${column}`));
    }
    for (const table of tables) {
      for (const condition of conditions) {
        const sqlType = table.columns.find(({ name }) => name === condition.column)?.sqlType ?? "";
        const fault = faultIn(condition, sqlType);
        if (fault !== undefined) refuse(raised(fault));
      }
      const fault = conditions.length > 0 && (await faultOf(claims, table, conditions));
      if (fault) refuse(fault);
    }
    const unknown = select?.find((column) => !mayRead(column));
    if (unknown !== undefined) refuse(raised(`invalid column for select ${unknown}`));
  };
}

const nameOrAny = (name: string | null | undefined) => (name === "*" || !name ? null : name);

type Asked = readonly [
  request: ChangeRequest,
  conditions: readonly Condition[],
  select: readonly string[] | undefined,
];

const notPublished = (...asked: Asked) =>
  "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect " +
  `parameters: [${described(...asked)}]`;

const impossible = (...[request, conditions, select, reason]: [...Asked, reason: string]) =>
  "Unable to subscribe to changes with given parameters. An exception happened so please check your connect " +
  `parameters: [${described(request, conditions, select)}]. Exception: ${reason}`;

/** In Elixir's notation, which the platform's messages show. */
function described(...[{ event, schema, table }, conditions, select]: Asked): string {
  const filters = conditions.map(({ column, operator, values, negated }) => {
    const value = operator === "in" ? `{${values.join(",")}}` : values[0]!;
    return `{${[column, operator, value].map((each) => JSON.stringify(each)).join(", ")}, ${negated}}`;
  });
  const columns = select ? `[${select.map((each) => JSON.stringify(each)).join(", ")}]` : "nil";
  return `event: ${event}, schema: ${schema ?? "*"}, table: ${table ?? "*"}, filters: [${filters.join(", ")}], select: ${columns}`;
}
