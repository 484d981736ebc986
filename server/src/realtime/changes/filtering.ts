// Which rows satisfy which subscriptions' filters: one query for a batch, run as the subscribers, who may all see the rows.
// Each filter's time is bounded, so that one that fails or takes long harms no other.
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import { type Condition, isPattern, toSql } from "./filter.ts";
import type { Tuple } from "./wal/wal-connection.ts";

/** By the filter's text. */
export type Filters = ReadonlyMap<string, readonly Condition[]>;

export interface Matches {
  /** The positions of the rows that pass each filter; none for a failed filter. */
  readonly rows: ReadonlyMap<string, ReadonlySet<number>>;
  /** The reason, for the subscriber, why a filter could not be evaluated. */
  readonly failed: ReadonlyMap<string, string>;
  /** Filters that were not evaluated by themselves, because others had taken all the time. */
  readonly untried: ReadonlySet<string>;
}

const TOGETHER = 200; // filters in one query
const WITHIN_MS = 2000; // in transactions, for all filters of a batch; everybody waits for them
const TRY_MS = 500; // one query
const LESS = 2 / 3;

export async function matchRows(
  database: Database,
  claims: Claims,
  shape: queries.TableShape,
  filters: Filters,
  rows: readonly Tuple[],
): Promise<Matches> {
  const matches = new Map<string, ReadonlySet<number>>();
  const failed = new Map<string, string>();
  const untried = new Set<string>();
  const timed = createTimed(database);

  /**
   * Half the filters get less time, so that a slow one among 200 is found within the batch's; but more than half of it, or a group
   * that is slow only together would fail at every split. By itself a filter gets all of it.
   */
  const evaluate = async (
    group: readonly [string, readonly Condition[]][],
    withinMs = TRY_MS,
  ): Promise<void> => {
    if (timed.spentMs() > WITHIN_MS) {
      for (const [filter] of group) untried.add(filter);
      return;
    }
    try {
      const results = await evaluateTogether(timed, claims, shape, group, rows, {
        withinMs: group.length === 1 ? TRY_MS : withinMs,
      });
      for (const [at, [filter]] of group.entries()) {
        matches.set(filter, new Set(rows.keys().filter((row) => results[row]![at])));
      }
    } catch (error) {
      const reason = faultOf(error);
      if (reason === undefined) throw error;
      if (group.length === 1) return void failed.set(group[0]![0], reason);
      const middle = group.length >> 1;
      await evaluate(group.slice(0, middle), withinMs * LESS);
      await evaluate(group.slice(middle), withinMs * LESS);
    }
  };

  const all = rows.length === 0 ? [] : [...filters];
  // Patterns come last, so that a crafted slow one takes no time from other filters.
  const [patterns, plain] = [true, false].map((wanted) =>
    all.filter(([, conditions]) => conditions.some(isPattern) === wanted),
  ) as [typeof all, typeof all];
  for (const some of [plain, patterns]) {
    for (let at = 0; at < some.length; at += TOGETHER) {
      await evaluate(some.slice(at, at + TOGETHER));
    }
  }
  return { rows: matches, failed, untried };
}

type Transactions = Pick<Database, "transaction">;

/** Adds up the time in transactions. Waiting for a connection is no filter's fault. */
function createTimed(database: Transactions): Transactions & { spentMs(): number } {
  let spentMs = 0;
  return {
    spentMs: () => spentMs,
    transaction: (scope, work) =>
      database.transaction(scope, async (tx) => {
        const began = performance.now();
        try {
          return await work(tx);
        } finally {
          spentMs += performance.now() - began;
        }
      }),
  };
}

/** The reason, for the subscriber, why the filter is impossible: the type has no such comparison, or no such value. */
export async function filterFault(
  database: Database,
  claims: Claims,
  shape: queries.TableShape,
  conditions: readonly Condition[],
): Promise<string | undefined> {
  // One query for all conditions. Only when that fails are they tested one by one.
  if ((await faultOfAll(database, claims, shape, conditions)) === undefined) return undefined;
  for (const condition of conditions) {
    const fault = await faultOfAll(database, claims, shape, [condition]);
    if (fault === undefined) continue;
    const { operator, column } = condition;
    const sqlType = shape.columns.find(({ name }) => name === column)?.sqlType;
    const name = VALUE_FAULTS.get(fault.code);
    if (name !== undefined) return `ERROR ${fault.code} (${name}) ${fault.message}`;
    const reason =
      fault.code === "2201B"
        ? `invalid regular expression for ${operator} filter: ${fault.message}`
        : `operator ${operator} is not supported on column ${column} of type ${sqlType}: ${fault.message}`;
    return raised(reason);
  }
  return undefined;
}

/** How the platform quotes errors raised by its own checks. */
export const raised = (reason: string) => `ERROR P0001 (raise_exception) ${reason}`;

/** The value is not of the column's type. */
const VALUE_FAULTS: ReadonlyMap<string, string> = new Map([
  ["22P02", "invalid_text_representation"],
  ["22003", "numeric_value_out_of_range"],
  ["22007", "invalid_datetime_format"],
  ["22008", "datetime_field_overflow"],
]);

interface Fault {
  readonly code: string;
  readonly message: string;
}

async function faultOfAll(
  database: Database,
  claims: Claims,
  shape: queries.TableShape,
  conditions: readonly Condition[],
): Promise<Fault | undefined> {
  const nothing = Object.fromEntries(shape.columns.map(({ name }) => [name, null]));
  try {
    await evaluateTogether(database, claims, shape, [["", conditions]], [nothing], {
      withinMs: TRY_MS,
      tryPatterns: true,
    });
    return undefined;
  } catch (error) {
    const message = faultOf(error);
    if (message === undefined) throw error;
    return { code: (error as { code: string }).code, message };
  }
}

const TOO_LONG = "The filter takes too long to evaluate";

/** Undefined for an error that is not the filter's fault. */
function faultOf(error: unknown): string | undefined {
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "57014") return TOO_LONG;
  return /^(22|42|54)/.test(code) ? message : undefined; // an invalid value or operator, or too many of them
}

async function evaluateTogether(
  database: Transactions,
  claims: Claims,
  shape: queries.TableShape,
  filters: readonly (readonly [string, readonly Condition[]])[],
  rows: readonly Tuple[],
  { withinMs, tryPatterns = false }: { readonly withinMs: number; readonly tryPatterns?: boolean },
): Promise<boolean[][]> {
  const used = shape.columns.filter(({ name }) =>
    filters.some(([, conditions]) => conditions.some(({ column }) => column === name)),
  );
  if (used.length === 0) return rows.map(() => filters.map(() => false));
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${used.length + parameters.push(value)}`;
  const expressions = filters.map(([, conditions]) =>
    conditions
      .map((condition) => {
        const at = used.findIndex(({ name }) => name === condition.column);
        if (at < 0) return "false";
        const sql = toSql(condition, `c${at}`, used[at]!.sqlType, bind);
        // PostgreSQL compiles no pattern for a null, so this also tries it on an empty text.
        return tryPatterns && isPattern(condition)
          ? `${sql} or ${toSql(condition, "''::text", "text", bind)}`
          : sql;
      })
      .map((sql) => `(${sql})`)
      .join(" and "),
  );
  const columns = used.map(({ name, sqlType }) => ({
    sqlType,
    values: rows.map((row) => row[name] ?? null),
  }));
  return queries.evaluate(database, claims, columns, expressions, parameters, withinMs);
}
