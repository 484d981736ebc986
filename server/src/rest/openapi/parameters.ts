// The parameters that paths refer to: those every table takes, each table's body, and a filter for each of its
// columns.
import type { Table } from "../schema/model.ts";

const query = (name: string, description: string) => ({
  name,
  description,
  required: false,
  in: "query",
  type: "string",
});

const prefer = (...values: string[]) => ({
  name: "Prefer",
  description: "Preference",
  required: false,
  in: "header",
  type: "string",
  enum: values.length > 0 ? values : undefined,
});

const RETURN = ["return=representation", "return=minimal", "return=none"];

const ANY_TABLE = {
  preferParams: prefer(),
  preferReturn: prefer(...RETURN),
  preferCount: prefer("count=none"),
  preferPost: prefer(...RETURN, "resolution=ignore-duplicates", "resolution=merge-duplicates"),
  select: query("select", "Filtering Columns"),
  on_conflict: query("on_conflict", "On Conflict"),
  order: query("order", "Ordering"),
  range: { ...query("Range", "Limiting and Pagination"), in: "header" },
  rangeUnit: { ...query("Range-Unit", "Limiting and Pagination"), in: "header", default: "items" },
  offset: query("offset", "Limiting and Pagination"),
  limit: query("limit", "Limiting and Pagination"),
};

export const sharedParameters = (tables: readonly Table[]): object => ({
  ...ANY_TABLE,
  ...Object.fromEntries(tables.flatMap(ofTable)),
});

function ofTable({ name, columns }: Table): [string, object][] {
  const body = {
    name,
    description: name,
    required: false,
    in: "body",
    schema: { $ref: `#/definitions/${name}` },
  };
  const filters = [...columns.values()].map((column): [string, object] => [
    `rowFilter.${name}.${column.name}`,
    {
      name: column.name,
      description: column.description ?? undefined,
      required: false,
      in: "query",
      type: "string",
    },
  ]);
  return [[`body.${name}`, body], ...filters];
}
