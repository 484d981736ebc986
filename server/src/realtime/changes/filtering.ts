// Which rows satisfy which subscriptions' filters: one query for a batch. A filter PostgreSQL cannot evaluate matches
// nothing and harms no other.
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import { type Condition, toSql } from "./filter.ts";
import type { Tuple } from "./wal-stream.ts";

/** By the filter's text. */
export type Filters = ReadonlyMap<string, readonly Condition[]>;

const TOGETHER = 200; // filters in one query

/** The positions of the rows each filter lets pass. */
export async function matchRows(
  database: Database,
  shape: queries.TableShape,
  filters: Filters,
  rows: readonly Tuple[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const matches = new Map<string, ReadonlySet<number>>();

  const evaluate = async (group: readonly [string, readonly Condition[]][]): Promise<void> => {
    if (group.length === 0) return;
    try {
      const results = await evaluateTogether(database, shape, group, rows);
      for (const [at, [filter]] of group.entries()) {
        matches.set(filter, new Set(rows.keys().filter((row) => results[row]![at])));
      }
    } catch (error) {
      if (!(error as { code?: string }).code?.match(/^(22|42)/)) throw error; // not the fault of a value or an operator
      if (group.length === 1) return void matches.set(group[0]![0], new Set());
      const middle = group.length >> 1;
      await evaluate(group.slice(0, middle));
      await evaluate(group.slice(middle));
    }
  };

  const all = [...filters];
  for (let at = 0; at < all.length; at += TOGETHER) await evaluate(all.slice(at, at + TOGETHER));
  return matches;
}

/** Throws PostgreSQL's error when the table has no such column or its type no such comparison or value. */
export async function checkFilter(
  database: Database,
  shape: queries.TableShape,
  conditions: readonly Condition[],
): Promise<void> {
  const nothing = Object.fromEntries(shape.columns.map(({ name }) => [name, null]));
  await evaluateTogether(database, shape, [["", conditions]], [nothing]);
}

async function evaluateTogether(
  database: Database,
  shape: queries.TableShape,
  filters: readonly (readonly [string, readonly Condition[]])[],
  rows: readonly Tuple[],
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
        return at < 0 ? "false" : toSql(condition, `c${at}`, used[at]!.sqlType, bind);
      })
      .join(" and "),
  );
  const columns = used.map(({ name, sqlType }) => ({
    sqlType,
    values: rows.map((row) => row[name] ?? null),
  }));
  return queries.evaluate(database, columns, expressions, parameters);
}
