// A table's columns as the properties of an object, with the keys that clients read from their descriptions.
import type { Column, Relationship, SchemaCache, Table } from "../schema/model.ts";

export function tableDefinition(cache: SchemaCache, table: Table): object {
  const columns = [...table.columns.values()];
  const required = columns.filter(({ nullable }) => !nullable).map(({ name }) => name);
  return {
    type: "object",
    description: table.description ?? undefined,
    required: required.length > 0 ? required : undefined,
    properties: Object.fromEntries(columns.map((column) => [column.name, property(cache, table, column)])),
  };
}

function property(cache: SchemaCache, table: Table, column: Column): object {
  return {
    ...typeOf(column.baseType),
    format: column.baseType,
    default: defaultOf(column),
    description: description(cache, table, column),
    enum: column.enum.length > 0 ? column.enum : undefined,
    maxLength: column.maxLength ?? undefined,
  };
}

function description(
  cache: SchemaCache,
  table: Table,
  { name, description: own }: Column,
): string | undefined {
  const notes = [
    ...(table.primaryKey.includes(name) ? ["This is a Primary Key.<pk/>"] : []),
    ...foreignKeyNote(cache.relationships.get(table.name) ?? [], name),
  ];
  if (notes.length === 0) return own ?? undefined;
  return `${own === null ? "" : `${own}\n\n`}${["Note:", ...notes].join("\n")}`;
}

/** Notes the foreign key this column is part of. A table takes precedence over a view. */
function foreignKeyNote(relationships: readonly Relationship[], column: string): string[] {
  const found = relationships
    .filter((one) => one.kind === "key")
    .filter(({ cardinality, inverse }) => cardinality !== "one-to-many" && !inverse)
    .filter(({ columns }) => columns.length === 1 && columns[0]![0] === column)
    .toSorted((a, b) => Number(a.foreignIsView) - Number(b.foreignIsView))[0];
  if (found === undefined) return [];
  const [[, target]] = found.columns as [readonly [string, string]];
  const of = found.foreignTable;
  return [`This is a Foreign Key to \`${of}.${target}\`.<fk table='${of}' column='${target}'/>`];
}

export function typeOf(type: string): { type?: string; items?: object } {
  const simple = simpleType(type);
  return simple === "array"
    ? { type: "array", items: { type: simpleType(type.slice(0, -2)) } }
    : { type: simple };
}

/** JSON may be of any type, so it has none. */
export function simpleType(type: string): string | undefined {
  switch (type) {
    case "boolean":
      return "boolean";
    case "smallint":
    case "integer":
    case "bigint":
      return "integer";
    case "numeric":
    case "real":
    case "double precision":
      return "number";
    case "json":
    case "jsonb":
      return undefined;
    default:
      return type.endsWith("[]") ? "array" : "string";
  }
}

/** The default, where it is a constant that JSON can express. */
function defaultOf({ baseType, default: text }: Column): unknown {
  if (text === null) return undefined;
  const suffix = `::${baseType}`;
  const constant = text.endsWith(suffix) ? text.slice(0, -suffix.length).replaceAll(/^'+|'+$/g, "") : text;
  try {
    return JSON.parse(simpleType(baseType) === "string" ? `"${constant}"` : text);
  } catch {
    return undefined;
  }
}
