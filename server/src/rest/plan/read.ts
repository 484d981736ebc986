// The tree of what is read: one node for the resource and one for each embedded one, each with its columns, conditions,
// order, rows and how it joins its parent. Pure: request and schema cache in, tree or error out.
import {
  badEmbedFilter,
  noAggregates,
  noAggregatesInLists,
  notEmbedded,
  notToOne,
  unknownType,
} from "../errors.ts";
import type { Condition, Filter, Located, LogicGroup } from "../parse/filter.ts";
import type { Field } from "../parse/names.ts";
import type { OrderTerm } from "../parse/order.ts";
import { ALL_ROWS, capRows, type Range } from "../parse/range.ts";
import type { Aggregate, SelectColumn, SelectItem, SelectRelation } from "../parse/select.ts";
import { isToOne, type Relationship, type SchemaCache, type Table } from "../schema/model.ts";
import { findRelationship } from "./relation.ts";

/** How SQL refers to the node's rows: by an alias, or by name for a table of the exposed schema. */
export type Qualifier = { readonly alias: string } | { readonly schema: string; readonly table: string };

export interface ColumnPlan {
  readonly field: Field;
  /** The SQL name of the type to cast to. */
  readonly cast: string | undefined;
  readonly alias: string | undefined;
  /** Its cast is an SQL name too. */
  readonly aggregate: Aggregate | undefined;
  /** The name under which a spread column reaches the parent, if the parent aggregates it. */
  readonly passedAs: string | undefined;
}

/** `embedded=is.null`: whether an embedded resource has rows. */
export interface EmbedTest {
  readonly kind: "embed";
  readonly negated: boolean;
  readonly node: ReadNode;
}

export type ConditionPlan =
  | Filter
  | EmbedTest
  | (Omit<LogicGroup, "members"> & { readonly members: readonly ConditionPlan[] });

export interface OrderPlan extends Omit<OrderTerm, "relation"> {
  /** The SQL alias of the embedded resource whose column orders the rows. */
  readonly of: string | undefined;
}

export interface ReadNode {
  /** The key of an embedded resource in its parent. */
  readonly name: string;
  /** Undefined where a function returns something other than a table's rows. */
  readonly table: Table | undefined;
  readonly schema: string;
  readonly tableName: string;
  readonly qualifier: Qualifier;
  readonly columns: readonly ColumnPlan[];
  readonly where: readonly ConditionPlan[];
  readonly order: readonly OrderPlan[];
  readonly range: Range;
  readonly children: readonly EmbeddedNode[];
}

export interface EmbeddedNode extends ReadNode {
  readonly relationship: Relationship;
  readonly parent: Qualifier;
  /** The alias of the joined subquery. */
  readonly subquery: string;
  readonly inner: boolean;
  readonly spread: boolean;
  /** The alias of the junction table. */
  readonly junction: string;
}

export interface Parts {
  readonly conditions: readonly Located<Condition>[];
  readonly orders: readonly Located<readonly OrderTerm[]>[];
  readonly ranges: readonly Located<Range>[];
}

export interface Root {
  /** The table, or the function, whose relationships apply. */
  readonly name: string;
  readonly qualifier: Qualifier;
}

interface Context {
  readonly cache: SchemaCache;
  readonly maxRows: number | undefined;
  readonly aggregates: boolean;
}

interface Planning extends Context {
  /** Counts the columns passed to a parent, so that each has a unique name. */
  passed: number;
}

/** Throws PGRST108, PGRST118, PGRST120, PGRST123, PGRST127, PGRST200, PGRST201 and 42704. */
export function planRead(
  context: Context,
  root: Root,
  select: readonly SelectItem[],
  parts: Parts,
): ReadNode {
  return planNode(
    { ...context, passed: 0 },
    root,
    { name: root.name, depth: 0, spread: false },
    select,
    parts,
  );
}

function planNode(
  context: Planning,
  at: Root,
  { name, depth, spread }: { name: string; depth: number; spread: boolean },
  select: readonly SelectItem[],
  parts: Parts,
): ReadNode {
  const relations = select.filter((item) => item.kind === "relation");
  const children = relations.map((item, index) => {
    const below = partsBelow(parts, relations, index);
    return planEmbedded(context, at, item, below, depth + 1);
  });
  for (const { embed } of [...parts.conditions, ...parts.orders, ...parts.ranges]) {
    if (embed.length > 0 && childIndex(relations, embed[0]!) === -1) throw notEmbedded(embed[0]!);
  }
  const own = <T>(located: readonly Located<T>[]) =>
    located.filter(({ embed }) => embed.length === 0).map(({ part }) => part);
  const table = context.cache.tables.get(at.name);
  return {
    name,
    table,
    schema: context.cache.schema,
    tableName: at.name,
    qualifier: at.qualifier,
    columns: select.filter((item) => item.kind === "column").map((item) => planColumn(context, item, spread)),
    where: own(parts.conditions).map((condition) => planCondition(condition, table, children)),
    order: own(parts.orders)
      .flat()
      .map((term) => planOrder(term, at.name, children)),
    range: capRows(own(parts.ranges)[0] ?? ALL_ROWS, context.maxRows),
    children,
  };
}

const childIndex = (relations: readonly SelectRelation[], name: string): number =>
  relations.findIndex((relation) => relation.name === name || relation.alias === name);

function partsBelow(parts: Parts, relations: readonly SelectRelation[], index: number): Parts {
  const below = <T>(located: readonly Located<T>[]): Located<T>[] =>
    located
      .filter(({ embed }) => embed.length > 0 && childIndex(relations, embed[0]!) === index)
      .map(({ embed, part }) => ({ embed: embed.slice(1), part }));
  return {
    conditions: below(parts.conditions),
    orders: below(parts.orders),
    ranges: below(parts.ranges),
  };
}

function planEmbedded(
  context: Planning,
  parent: Root,
  item: SelectRelation,
  parts: Parts,
  depth: number,
): EmbeddedNode {
  const relationship = findRelationship(context.cache, parent.name, item.name, item.hint);
  const name = item.alias ?? item.name;
  const here = {
    name: relationship.foreignTable,
    qualifier: { alias: `${relationship.foreignTable}_${depth}` },
  };
  const node = planNode(context, here, { name, depth, spread: item.spread }, item.items, parts);
  if (item.spread && !isToOne(relationship) && passesAggregates(node)) throw noAggregatesInLists();
  return {
    ...node,
    relationship,
    parent: parent.qualifier,
    subquery: `${relationship.table}_${name}_${depth}`,
    inner: item.join === "inner",
    spread: item.spread,
    junction: relationship.kind === "junction" ? `${relationship.junction}_${depth}_link` : "",
  };
}

/** A spread node passes its aggregates on to its parent, including those of nodes spread into it. */
const passesAggregates = ({ columns, children }: ReadNode): boolean =>
  columns.some(({ aggregate }) => aggregate !== undefined) ||
  children.some((child) => child.spread && passesAggregates(child));

/** Whether the node's rows are groups: it, or a node spread into it, aggregates. */
export const isGrouped = (node: ReadNode | EmbeddedNode): boolean =>
  !("spread" in node && node.spread) && passesAggregates(node);

function planColumn(
  context: Planning,
  { field, cast, alias, aggregate }: SelectColumn,
  isSpread: boolean,
): ColumnPlan {
  const { cache } = context;
  if (aggregate && !context.aggregates) throw noAggregates();
  const ofResult = typeSql(cache, aggregate?.cast);
  return {
    field,
    cast: typeSql(cache, cast),
    alias: alias ?? (aggregate ? undefined : aliasOfPath(field)),
    aggregate: aggregate && { ...aggregate, cast: ofResult },
    passedAs: aggregate && isSpread ? `pgrst_passed_${++context.passed}` : undefined,
  };
}

/** Whether it uses a column that the table does not have, which may be a function of its rows. */
export function namesComputed({ table, columns, where, order }: ReadNode): boolean {
  if (table === undefined) return false;
  const isComputed = ({ name }: Field) => name !== "*" && !table.columns.has(name);
  const tests = (condition: ConditionPlan): boolean => {
    if (condition.kind === "embed") return false;
    return condition.kind === "group" ? condition.members.some(tests) : isComputed(condition.field);
  };
  return (
    columns.some(({ field }) => isComputed(field)) ||
    where.some(tests) ||
    order.some(({ of, field }) => of === undefined && isComputed(field))
  );
}

function typeSql({ types }: SchemaCache, cast: string | undefined): string | undefined {
  if (cast === undefined) return undefined;
  const type = types.get(cast.toLowerCase().replaceAll(/ +/g, " "));
  if (type === undefined) throw unknownType(cast);
  return type;
}

/** `data->1->name->>2` is named name; `data->3` is named data. */
function aliasOfPath({ name, path }: Field): string | undefined {
  if (path.length === 0) return undefined;
  return path.findLast(({ isIndex }) => !isIndex)?.key ?? name;
}

/** A column and an embedded resource may share a name. Then only a comparison with null refers to the resource. */
function planCondition(
  condition: Condition,
  table: Table | undefined,
  children: readonly EmbeddedNode[],
): ConditionPlan {
  if (condition.kind === "group") {
    return {
      ...condition,
      members: condition.members.map((member) => planCondition(member, table, children)),
    };
  }
  const { field, negated, operation } = condition;
  const node = field.path.length === 0 ? children.find(({ name }) => name === field.name) : undefined;
  if (node === undefined) return condition;
  if (operation.kind !== "is" || !operation.what.endsWith("null")) {
    if (table?.columns.has(field.name)) return condition;
    throw badEmbedFilter(field.name);
  }
  return { kind: "embed", negated: negated !== (operation.what === "not null"), node };
}

function planOrder(term: OrderTerm, origin: string, children: readonly EmbeddedNode[]): OrderPlan {
  const { relation, ...rest } = term;
  if (relation === undefined) return { ...rest, of: undefined };
  const node = children.find(({ name }) => name === relation);
  if (node === undefined) throw notEmbedded(relation);
  if (!isToOne(node.relationship)) throw notToOne(origin, relation);
  return { ...rest, of: node.subquery };
}
