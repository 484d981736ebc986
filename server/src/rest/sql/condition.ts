// Fields, conditions and orders as SQL. Every value is bound.
import type { Condition, Operation } from "../parse/filter.ts";
import type { Field, JsonStep } from "../parse/names.ts";
import type { OrderTerm } from "../parse/order.ts";
import type { ConditionPlan, EmbedTest, OrderPlan, Qualifier } from "../plan/read.ts";
import type { Table } from "../schema/model.ts";
import { bind, EMPTY, identifier, join, list, raw, sql, type Sql } from "./fragment.ts";

/** What fields refer to: their qualifier, and the table whose column types are known. */
export interface Scope {
  readonly qualifier: Qualifier;
  readonly table: Table | undefined;
}

const qualifierSql = (qualifier: Qualifier): Sql =>
  "alias" in qualifier ? identifier(qualifier.alias) : tableSql(qualifier.schema, qualifier.table);

export const tableSql = (schema: string, name: string): Sql => sql`${identifier(schema)}.${identifier(name)}`;

export const columnSql = (qualifier: Qualifier, name: string): Sql =>
  sql`${qualifierSql(qualifier)}.${name === "*" ? raw("*") : identifier(name)}`;

/**
 * Types other than json and jsonb (ranges, composites, arrays) are converted to JSON before a path is
 * applied.
 */
export function fieldSql({ qualifier, table }: Scope, { name, path }: Field): Sql {
  const column = columnSql(qualifier, name);
  if (path.length === 0) return column;
  const type = table?.columns.get(name)?.type;
  const json = type === "json" || type === "jsonb" ? column : sql`to_jsonb(${column})`;
  return sql`${json}${join(path.map(stepSql), "")}`;
}

const stepSql = ({ arrow, key, isIndex }: JsonStep): Sql =>
  sql`${raw(arrow)}${bind(key)}${raw(isIndex ? "::int" : "::text")}`;

/**
 * `test` writes the check for an embedded resource's presence, which differs between reading and counting.
 */
export function conditionSql(scope: Scope, condition: ConditionPlan, test: (embed: EmbedTest) => Sql): Sql {
  if (condition.kind === "embed") return test(condition);
  if (condition.kind === "group") {
    const members = condition.members.map((member) => conditionSql(scope, member, test));
    return sql`${negation(condition.negated)}(${join(members, condition.operator === "and" ? " and " : " or ")})`;
  }
  const { field, operation, negated } = condition;
  return sql`${negation(negated)}${operand(scope, field, operation)} ${operationSql(operation)}`;
}

/** A condition of a request that embeds nothing. */
export const plainConditionSql = (scope: Scope, condition: Condition): Sql =>
  conditionSql(scope, condition, () => EMPTY);

export const negation = (negated: boolean): Sql => raw(negated ? "not " : "");

/**
 * Text search on a column of another type converts it to a tsvector, in the language of the query. Of a computed column no type is
 * known, so its function has to return one.
 */
function operand(scope: Scope, field: Field, operation: Operation): Sql {
  const value = fieldSql(scope, field);
  if (operation.kind !== "search") return value;
  const column = scope.table?.columns.get(field.name);
  if (!column || column.baseType === "tsvector") return value;
  return sql`to_tsvector(${languageSql(operation.language)}${value})`;
}

function languageSql(language: string | undefined): Sql {
  if (language === undefined) return EMPTY;
  // PostgreSQL reads a number or a dash as an object identifier, and fails with an internal error when there
  // is none.
  const name = /^(\d+|-)$/.test(language) ? `"${language}"` : language;
  return sql`${bind(name)}::regconfig, `;
}

function operationSql(operation: Operation): Sql {
  switch (operation.kind) {
    case "in":
      return isEmptyList(operation.values)
        ? raw("= any ('{}')")
        : sql`= any (${bind(arrayLiteral(operation.values))})`;
    case "is":
      return raw(`is ${operation.what}`);
    case "distinct":
      return sql`is distinct from ${bind(operation.value)}`;
    case "search":
      return sql`@@ ${raw(operation.query)}(${languageSql(operation.language)}${bind(operation.value)})`;
    case "compare": {
      const pattern = operation.operator === "like" || operation.operator === "ilike";
      const value = bind(pattern ? operation.value.replaceAll("*", "%") : operation.value);
      const quantified = operation.quantifier ? sql`${raw(operation.quantifier)} (${value})` : value;
      return sql`${raw(operation.operator)} ${quantified}`;
    }
  }
}

const isEmptyList = (values: readonly string[]): boolean => values.length === 1 && values[0] === "";

export function arrayLiteral(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  return `{${quoted.join(",")}}`;
}

export function orderSql(scope: Scope, terms: readonly (OrderPlan | OrderTerm)[]): Sql {
  if (terms.length === 0) return EMPTY;
  const parts = terms.map((term) => {
    const of = "of" in term ? term.of : undefined;
    const field =
      of === undefined
        ? fieldSql(scope, term.field)
        : fieldSql({ qualifier: { alias: of }, table: undefined }, term.field);
    const direction = term.direction ? ` ${term.direction}` : "";
    const nulls = term.nulls ? ` nulls ${term.nulls}` : "";
    return sql`${field}${raw(direction + nulls)}`;
  });
  return sql` order by ${list(parts)}`;
}
