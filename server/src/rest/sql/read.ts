// A read tree as one select: embedded resources are lateral joins that come back as JSON.
import type { Range } from "../parse/range.ts";
import {
  type ColumnPlan,
  type EmbeddedNode,
  type EmbedTest,
  isGrouped,
  type ReadNode,
} from "../plan/read.ts";
import { isToOne } from "../schema/model.ts";
import { boundedRows, PIECE, sizedRows, withinBytes } from "./bounded.ts";
import { columnSql, conditionSql, fieldSql, negation, orderSql, tableSql } from "./condition.ts";
import { bind, EMPTY, identifier, join, list, raw, sql, type Sql } from "./fragment.ts";

/** The common table expression with the rows of a mutation or a function. */
export const SOURCE = raw("pgrst_source");

/** One selected expression. Groups share a key. */
interface Item {
  readonly sql: Sql;
  readonly isKey: boolean;
}

/**
 * `from` is the table of the root, or the common table expression under its name. Sibling lists in a row share their
 * parent's budget, `mostBytes`. `spreadIntoGroups`: its columns become keys of an ancestor's groups.
 */
export function readSql(node: ReadNode, from: Sql, mostBytes: number, spreadIntoGroups = false): Sql {
  const share = Math.floor(mostBytes / Math.max(1, node.children.length));
  const grouped = isGrouped(node);
  const becomesKey = grouped || spreadIntoGroups;
  const items = [
    ...node.columns.flatMap((column) => columnItems(node, column, grouped)),
    ...node.children.flatMap((child) => embeddedItems(child, grouped, becomesKey)),
  ];
  // A row without columns is still a row. The SQL that builds the JSON omits its placeholder.
  const columns = list(items.map((item) => item.sql));
  const joins = join(
    node.children.map((child) => joinSql(child, share, child.spread && becomesKey)),
    "",
  );
  const where = whereSql([...conditions(node, presentInJoin), ...keyConditions(node)]);
  const groups = grouped ? groupSql(items) : EMPTY;
  return sql`select ${columns} from ${from}${joins}${where}${groups}${orderSql(node, node.order)}${rangeSql(node.range)}`;
}

/** One row for each row of the root, without limits: what a total counts. */
export function countSql(node: ReadNode, from: Sql): Sql {
  const required = node.children
    .filter(({ inner }) => inner)
    .map((child) => sql`exists (${countSql(child, fromEmbedded(child))})`);
  const where = whereSql([...conditions(node, presentAtAll), ...keyConditions(node), ...required]);
  return sql`select 1 from ${from}${where}`;
}

/** Grouped by position: PostgreSQL would not recognize a repeated bound value as the same expression. */
function groupSql(items: readonly Item[]): Sql {
  const keys = items.flatMap(({ isKey }, index) => (isKey ? [String(index + 1)] : []));
  return keys.length === 0 ? EMPTY : raw(` group by ${keys.join(", ")}`);
}

function columnItems(node: ReadNode, column: ColumnPlan, grouped: boolean): Item[] {
  const { field, cast, alias, aggregate, passedAs } = column;
  const isStar = field.name === "*";
  // A group needs single columns; a list of spread columns needs their names too.
  if (isStar && aggregate === undefined && grouped && node.table) {
    const names = [...node.table.columns.keys()];
    return names.map((name) => ({ sql: columnSql(node.qualifier, name), isKey: true }));
  }
  const value = isStar && aggregate ? (passedAs === undefined ? raw("*") : raw("1")) : fieldSql(node, field);
  const typed = cast === undefined ? value : sql`cast(${value} as ${raw(cast)})`;
  if (passedAs !== undefined) return [{ sql: sql`${typed} as ${identifier(passedAs)}`, isKey: true }];
  const result = aggregate === undefined ? typed : aggregateSql(aggregate, typed);
  return [
    {
      sql: alias === undefined ? result : sql`${result} as ${identifier(alias)}`,
      isKey: aggregate === undefined,
    },
  ];
}

function aggregateSql({ function: name, cast }: NonNullable<ColumnPlan["aggregate"]>, value: Sql): Sql {
  const result = sql`${raw(name)}(${value})`;
  return cast === undefined ? result : sql`cast(${result} as ${raw(cast)})`;
}

/** An embedded resource without a column (`rel()`) only joins. */
const isEmpty = (node: ReadNode): boolean => node.columns.length === 0 && node.children.every(isEmpty);

function embeddedItems(child: EmbeddedNode, grouped: boolean, becomesKey: boolean): Item[] {
  if (isEmpty(child)) return [];
  const rows = identifier(child.subquery);
  const toOne = isToOne(child.relationship);
  if (child.spread) {
    if (toOne && !grouped) return [{ sql: sql`${rows}.*`, isKey: false }];
    return spreadColumns(child).map((column) => spreadItem(rows, column, toOne, becomesKey));
  }
  const value = toOne ? sql`row_to_json(${rows}.*)` : sql`coalesce(${rows}.${rows}, '[]')`;
  return [{ sql: sql`${keySql(value, becomesKey)} as ${identifier(child.name)}`, isKey: true }];
}

/** json has no equality operator, which grouping needs. */
const keySql = (value: Sql, becomesKey: boolean): Sql => (becomesKey ? sql`(${value})::jsonb` : value);

function spreadItem(rows: Sql, { name, from }: SpreadColumn, toOne: boolean, becomesKey: boolean): Item {
  const value = sql`${rows}.${identifier(name)}`;
  if (from?.aggregate) {
    const result = aggregateSql(from.aggregate, value);
    const alias = from.alias === undefined ? EMPTY : sql` as ${identifier(from.alias)}`;
    return { sql: sql`${result}${alias}`, isKey: false };
  }
  if (toOne) return { sql: value, isKey: true };
  const filled = sql`coalesce(${value}, '[]')`;
  return { sql: sql`${keySql(filled, becomesKey)} as ${identifier(name)}`, isKey: true };
}

interface SpreadColumn {
  readonly name: string;
  /** The aggregate that the parent applies to it, if any. */
  readonly from?: ColumnPlan;
}

/** The columns that a spread resource adds to its parent's row. */
function spreadColumns(node: ReadNode): SpreadColumn[] {
  const own = node.columns.flatMap((column): SpreadColumn[] => {
    if (column.passedAs !== undefined) return [{ name: column.passedAs, from: column }];
    if (column.field.name === "*") return [...(node.table?.columns.keys() ?? [])].map((name) => ({ name }));
    return [{ name: column.alias ?? column.field.name }];
  });
  const below = node.children.flatMap((child): SpreadColumn[] =>
    isEmpty(child) ? [] : child.spread ? spreadColumns(child) : [{ name: child.name }],
  );
  return [...own, ...below];
}

/** How many rows a spread list has, null for none: its columns cannot show that. */
const FOUND = raw("pgrst_found");

function joinSql(child: EmbeddedNode, mostBytes: number, spreadIntoGroups: boolean): Sql {
  const rows = identifier(child.subquery);
  const kind = raw(child.inner ? " inner join lateral " : " left join lateral ");
  const inner = readSql(child, fromEmbedded(child), mostBytes, spreadIntoGroups);
  if (isToOne(child.relationship)) return sql`${kind}(${inner}) as ${rows} on true`;
  if (child.spread)
    return sql`${kind}(${spreadListSql(child, inner, mostBytes)}) as ${rows} on ${on(child, FOUND)}`;
  const bounded = boundedRows(inner, rows, sql`row_to_json(${rows}.*)`);
  const gathered = sql`json_agg(${PIECE})${withinBytes(mostBytes)}`;
  return sql`${kind}(select ${gathered} as ${rows} from ${bounded} as ${rows}) as ${rows} on ${on(child, rows)}`;
}

const on = ({ inner, subquery }: EmbeddedNode, column: Sql): Sql =>
  inner ? sql`${identifier(subquery)}.${column} is not null` : raw("true");

/** Each column as a separate list. */
function spreadListSql(child: EmbeddedNode, inner: Sql, mostBytes: number): Sql {
  const rows = identifier(child.subquery);
  const within = withinBytes(mostBytes);
  const lists = spreadColumns(child).map(
    ({ name }) => sql`json_agg(${rows}.${identifier(name)})${within} as ${identifier(name)}`,
  );
  const columns = list([...lists, sql`nullif(count(*), 0) as ${FOUND}`]);
  return sql`select ${columns} from ${sizedRows(inner, rows)} as ${rows}`;
}

function fromEmbedded({ relationship, schema, qualifier, parent, junction }: EmbeddedNode): Sql {
  const alias = "alias" in qualifier ? identifier(qualifier.alias) : EMPTY;
  if (relationship.kind === "computed") {
    const row = "alias" in parent ? identifier(parent.alias) : identifier(parent.table);
    const typed = sql`${row}::${tableSql(schema, relationship.table)}`;
    return sql`${tableSql(schema, relationship.function)}(${typed}) as ${alias}`;
  }
  const table = sql`${tableSql(schema, relationship.foreignTable)} as ${alias}`;
  return relationship.kind === "junction"
    ? sql`${table}, ${tableSql(schema, relationship.junction)} as ${identifier(junction)}`
    : table;
}

/** The conditions that match an embedded resource's rows to the parent's row. */
function keyConditions(node: ReadNode | EmbeddedNode): Sql[] {
  if (!("relationship" in node) || node.relationship.kind === "computed") return [];
  const { relationship, parent, qualifier } = node;
  if (relationship.kind === "key") {
    return relationship.columns.map(
      ([here, there]) => sql`${columnSql(qualifier, there)} = ${columnSql(parent, here)}`,
    );
  }
  const link = { alias: node.junction };
  return [
    ...relationship.target.map(
      ([column, linked]) => sql`${columnSql(link, linked)} = ${columnSql(qualifier, column)}`,
    ),
    ...relationship.source.map(
      ([column, linked]) => sql`${columnSql(link, linked)} = ${columnSql(parent, column)}`,
    ),
  ];
}

const conditions = (node: ReadNode, test: (embed: EmbedTest) => Sql): Sql[] =>
  node.where.map((condition) => conditionSql(node, condition, test));

/** `is null` and `is not null` on a row test whether all its columns are null. This tests for the row itself. */
function presentInJoin({ node, negated }: EmbedTest): Sql {
  const { subquery, spread, relationship } = node as EmbeddedNode;
  const rows = identifier(subquery);
  const tested = spread && !isToOne(relationship) ? sql`${rows}.${FOUND}` : rows;
  return sql`${tested} ${raw(negated ? "is distinct from null" : "is not distinct from null")}`;
}

const presentAtAll = ({ node, negated }: EmbedTest): Sql =>
  sql`${negation(!negated)}exists (${countSql(node, fromEmbedded(node as EmbeddedNode))})`;

export const whereSql = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? EMPTY : sql` where ${join(parts, " and ")}`;

function rangeSql({ limit, offset }: Range): Sql {
  const rows = limit === undefined ? EMPTY : sql` limit ${bind(String(limit))}`;
  return offset === 0 ? rows : sql`${rows} offset ${bind(String(offset))}`;
}
