// A read tree as one select: embedded resources are lateral joins that come back as JSON.
import type { Range } from "../parse/range.ts";
import type { ColumnPlan, EmbeddedNode, EmbedTest, ReadNode } from "../plan/read.ts";
import { isToOne } from "../schema/model.ts";
import { columnSql, conditionSql, fieldSql, negation, orderSql, tableSql, type Scope } from "./condition.ts";
import { boundedRows, PIECE, withinBytes } from "./bounded.ts";
import { bind, EMPTY, identifier, join, list, raw, sql, type Sql } from "./fragment.ts";

/** The common table expression with the rows of a mutation or a function. */
export const SOURCE = raw("pgrst_source");

/**
 * `from` is the table of the root, or the common table expression under its name. Lists side by side in a row share what
 * their parent may have: `mostBytes`.
 */
export function readSql(node: ReadNode, from: Sql, mostBytes: number): Sql {
  const share = Math.floor(mostBytes / Math.max(1, node.children.length));
  const selected = [
    ...node.columns.map((column) => selectSql(node, column)),
    ...node.children.flatMap(embeddedSelect),
  ];
  // Without a column there is still a row; what it holds is left out where the JSON is made.
  const columns = selected.length > 0 ? list(selected) : EMPTY;
  const joins = join(
    node.children.map((child) => joinSql(child, share)),
    "",
  );
  const where = whereSql([...conditions(node, presentInJoin), ...keyConditions(node)]);
  return sql`select ${columns} from ${from}${joins}${where}${orderSql(node, node.order)}${rangeSql(node.range)}`;
}

/** One row for each row of the root, without its limits: what a total counts. */
export function countSql(node: ReadNode, from: Sql): Sql {
  const required = node.children
    .filter(({ inner }) => inner)
    .map((child) => sql`exists (${countSql(child, fromEmbedded(child))})`);
  const where = whereSql([...conditions(node, presentAtAll), ...keyConditions(node), ...required]);
  return sql`select 1 from ${from}${where}`;
}

function selectSql(scope: Scope, { field, cast, alias }: ColumnPlan): Sql {
  const value = fieldSql(scope, field);
  const typed = cast === undefined ? value : sql`cast(${value} as ${raw(cast)})`;
  return alias === undefined ? typed : sql`${typed} as ${identifier(alias)}`;
}

/** An embedded resource without a column (`rel()`) only joins. */
const isEmpty = (node: ReadNode): boolean => node.columns.length === 0 && node.children.every(isEmpty);

function embeddedSelect(child: EmbeddedNode): Sql[] {
  if (isEmpty(child)) return [];
  const rows = identifier(child.subquery);
  if (child.spread) return [sql`${rows}.*`];
  const name = identifier(child.name);
  return isToOne(child.relationship)
    ? [sql`row_to_json(${rows}.*) as ${name}`]
    : [sql`coalesce(${rows}.${rows}, '[]') as ${name}`];
}

function joinSql(child: EmbeddedNode, mostBytes: number): Sql {
  const rows = identifier(child.subquery);
  const kind = raw(child.inner ? " inner join lateral " : " left join lateral ");
  const inner = readSql(child, fromEmbedded(child), mostBytes);
  if (isToOne(child.relationship)) return sql`${kind}(${inner}) as ${rows} on true`;
  const on = child.inner ? sql`${rows} is not null` : raw("true");
  const bounded = boundedRows(inner, rows, sql`row_to_json(${rows}.*)`);
  const gathered = sql`json_agg(${PIECE})${withinBytes(mostBytes)}`;
  return sql`${kind}(select ${gathered} as ${rows} from ${bounded} as ${rows}) as ${rows} on ${on}`;
}

function fromEmbedded({ relationship, qualifier, parent, junction }: EmbeddedNode): Sql {
  const alias = "alias" in qualifier ? identifier(qualifier.alias) : EMPTY;
  if (relationship.kind === "computed") {
    const row = "alias" in parent ? identifier(parent.alias) : identifier(parent.table);
    const typed = sql`${row}::${tableSql(relationship.table)}`;
    return sql`${tableSql(relationship.function)}(${typed}) as ${alias}`;
  }
  const table = sql`${tableSql(relationship.foreignTable)} as ${alias}`;
  return relationship.kind === "junction"
    ? sql`${table}, ${tableSql(relationship.junction)} as ${identifier(junction)}`
    : table;
}

/** How an embedded resource's rows belong to the parent's row. */
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

/** `is null` and `is not null` ask of a row whether all its columns are; this asks for the row itself. */
const presentInJoin = ({ node, negated }: EmbedTest): Sql =>
  sql`${identifier((node as EmbeddedNode).subquery)} ${raw(negated ? "is distinct from null" : "is not distinct from null")}`;

const presentAtAll = ({ node, negated }: EmbedTest): Sql =>
  sql`${negation(!negated)}exists (${countSql(node, fromEmbedded(node as EmbeddedNode))})`;

export const whereSql = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? EMPTY : sql` where ${join(parts, " and ")}`;

export function rangeSql({ limit, offset }: Range): Sql {
  const rows = limit === undefined ? EMPTY : sql` limit ${bind(String(limit))}`;
  return offset === 0 ? rows : sql`${rows} offset ${bind(String(offset))}`;
}
