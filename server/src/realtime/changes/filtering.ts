// Which rows satisfy which subscriptions' filters: one query for many filters, run as the subscribers, who may all see the rows.
// Each filter's time is measured and bounded, so that one that fails or takes long harms no other.
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import { type Condition, isPattern, toSql } from "./filter.ts";
import type { FilterTime } from "./filter-time.ts";
import type { Subscriber, Subscription } from "./subscriptions.ts";
import type { Tuple } from "./wal/wal-connection.ts";

/** A filter, and the subscriptions that it belongs to. */
export interface Filter {
  readonly conditions: readonly Condition[];
  readonly subscriptions: readonly Subscription[];
}

export interface Matches {
  /** The positions of the rows that pass each filter, by its text. */
  readonly rows: ReadonlyMap<string, ReadonlySet<number>>;
  /** The reason, for the subscriber, why a filter could not be evaluated. */
  readonly failed: ReadonlyMap<string, string>;
  /** Filters that took too long, or that were not evaluated because their subscribers have no time left. */
  readonly missed: ReadonlyMap<string, "timedOut" | "notTried">;
}

const TOGETHER = 200; // conditions in one query
const ALONE_MS = 150; // one filter by itself
const GROUP_MS = 100; // several. Once half of it has passed, none is begun.
const PARTS = 16; // of a group in which one takes too long

interface Asked extends Filter {
  readonly text: string;
  readonly subscribers: readonly Subscriber[];
  readonly lastMs: number;
}

export async function matchRows(
  database: Database,
  claims: Claims,
  shape: queries.TableShape,
  filters: ReadonlyMap<string, Filter>,
  rows: readonly Tuple[],
  time: FilterTime,
): Promise<Matches> {
  const matches = new Map<string, ReadonlySet<number>>();
  const failed = new Map<string, string>();
  const missed = new Map<string, "timedOut" | "notTried">();
  const timed = createTimed(database);

  const evaluate = async (group: readonly Asked[]): Promise<readonly Asked[]> => {
    const before = timed.spentMs();
    let results: readonly queries.FilterResult[] = [];
    try {
      results = await evaluateTogether(timed, claims, shape, group, rows, {
        withinMs: group.length === 1 ? ALONE_MS : GROUP_MS,
      });
    } finally {
      const known = results.reduce((sum, { ms }) => sum + ms, 0);
      const shared = Math.max(0, timed.spentMs() - before - known) / group.length;
      for (const [at, { subscribers }] of group.entries()) {
        time.spend(subscribers, shared + (results[at]?.ms ?? 0));
      }
    }
    for (const [at, { rows: found, ms }] of results.entries()) {
      if (found === undefined) continue;
      matches.set(group[at]!.text, found);
      for (const each of group[at]!.subscriptions) time.wasTried(each, ms);
    }
    return group.filter((_, at) => results[at]?.rows === undefined);
  };

  /** Works through groups until every filter was evaluated, failed or missed. */
  const work = async (groups: Asked[][]): Promise<void> => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      const payable = group.filter(({ text, subscribers }) => {
        const canPay = time.left(subscribers) > 0;
        if (!canPay) missed.set(text, "notTried");
        return canPay;
      });
      if (payable.length === 0) continue;
      try {
        const left = await evaluate(payable);
        if (left.length > 0) groups.unshift([...left]);
      } catch (error) {
        const reason = faultOf(error);
        if (reason === undefined) throw error;
        if (payable.length > 1) groups.unshift(...inParts(payable, Math.ceil(conditionsOf(payable) / PARTS)));
        else if (reason === TOO_LONG) missed.set(payable[0]!.text, "timedOut");
        else failed.set(payable[0]!.text, reason);
      }
    }
  };

  await work(rows.length === 0 ? [] : inGroups(filters, time));
  return { rows: matches, failed, missed };
}

/**
 * Those whose subscribers have most time left come first, then those that were quick last time, so that slow ones take no time from
 * others. Patterns come after all others, since a crafted one can be slow, and last each filter that was slow, by itself.
 */
function inGroups(filters: ReadonlyMap<string, Filter>, time: FilterTime): Asked[][] {
  const all = Array.from(filters, ([text, { conditions, subscriptions }]) => {
    const subscribers = [...new Set(subscriptions.map(({ subscriber }) => subscriber))];
    const lastMs = Math.max(...subscriptions.map((each) => time.lastMs(each)));
    return { text, conditions, subscriptions, subscribers, lastMs, left: time.left(subscribers) };
  });
  all.sort((one, other) => other.left - one.left || one.lastMs - other.lastMs);
  const kinds = Map.groupBy(all, ({ lastMs, conditions }) => {
    if (lastMs > GROUP_MS / 2) return "slow";
    return conditions.some(isPattern) ? "pattern" : "plain";
  });
  return [
    ...inParts(kinds.get("plain") ?? [], TOGETHER),
    ...inParts(kinds.get("pattern") ?? [], TOGETHER),
    ...inParts(kinds.get("slow") ?? [], 1),
  ];
}

const conditionsOf = (filters: readonly Asked[]) =>
  filters.reduce((sum, { conditions }) => sum + conditions.length, 0);

/** Parts of at most `most` conditions, or one filter with more. */
function inParts(all: readonly Asked[], most: number): Asked[][] {
  const parts: Asked[][] = [];
  let size = Infinity;
  for (const filter of all) {
    size += filter.conditions.length;
    if (size > most) [size] = [filter.conditions.length, parts.push([])];
    parts.at(-1)!.push(filter);
  }
  return parts;
}

export type Transactions = Pick<Database, "transaction">;

/** Adds up the time in transactions. Waiting for a connection is no filter's fault. */
export function createTimed(database: Transactions): Transactions & { spentMs(): number } {
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
  database: Transactions,
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
  database: Transactions,
  claims: Claims,
  shape: queries.TableShape,
  conditions: readonly Condition[],
): Promise<Fault | undefined> {
  const nothing = Object.fromEntries(shape.columns.map(({ name }) => [name, null]));
  try {
    await evaluateTogether(database, claims, shape, [{ conditions }], [nothing], {
      withinMs: ALONE_MS,
      tryPatterns: true,
    });
    return undefined;
  } catch (error) {
    const message = faultOf(error);
    if (message === undefined) throw error;
    return { code: (error as { code: string }).code, message };
  }
}

export const TOO_LONG = "The filter takes too long to evaluate";

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
  filters: readonly Pick<Filter, "conditions">[],
  rows: readonly Tuple[],
  { withinMs, tryPatterns = false }: { readonly withinMs: number; readonly tryPatterns?: boolean },
): Promise<readonly queries.FilterResult[]> {
  const used = shape.columns.filter(({ name }) =>
    filters.some(({ conditions }) => conditions.some(({ column }) => column === name)),
  );
  if (used.length === 0) return filters.map(() => ({ rows: new Set(), ms: 0 }));
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${used.length + parameters.push(value)}`;
  const expressions = filters.map(({ conditions }) =>
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
