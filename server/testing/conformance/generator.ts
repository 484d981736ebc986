// Random reads over the fixture: selections nested along its relationships, filters of fitting types with awkward values,
// logic trees, orders, ranges and counts. Rows are always ordered by their key, so that there is only one right answer.
import fc from "fast-check";
import type { Exchange } from "./sides.ts";

type Kind = "number" | "text" | "boolean" | "json" | "list";

interface TableModel {
  readonly key: string;
  readonly columns: Readonly<Record<string, Kind>>;
  /** The name in a select, its table, and whether it matches at most one row. */
  readonly relations: readonly { readonly name: string; readonly table: string; readonly toOne: boolean }[];
}

const relation = (name: string, toOne: boolean, table = name) => ({ name, table, toOne });

const TABLES: Readonly<Record<string, TableModel>> = {
  clients: { key: "id", columns: { id: "number", name: "text" }, relations: [relation("projects", false)] },
  projects: {
    key: "id",
    columns: { id: "number", name: "text", client_id: "number", budget: "number" },
    relations: [relation("clients", true), relation("tasks", false), relation("client_id", true, "clients")],
  },
  tasks: {
    key: "id",
    columns: { id: "number", name: "text", project_id: "number" },
    relations: [relation("projects", true), relation("users", false)],
  },
  users: {
    key: "id",
    columns: { id: "number", name: "text" },
    relations: [relation("tasks", false), relation("profiles", true)],
  },
  profiles: {
    key: "user_id",
    columns: { user_id: "number", bio: "text" },
    relations: [relation("users", true)],
  },
  samples: {
    key: "id",
    columns: { id: "number", t: "text", n: "number", b: "boolean", jb: "json", tags: "list", num: "number" },
    relations: [],
  },
};

const number = fc.oneof(
  fc.integer({ min: -3, max: 8 }).map(String),
  fc.constantFrom("1.5", "abc", "", "2147483647"),
);
const text = fc.oneof(
  fc.constantFrom(
    "alpha",
    "Apple",
    "Windows 7",
    "Design IOS",
    "beta, (gamma)",
    `100%_"quote'`,
    "null",
    "*",
    "a*",
  ),
  fc.string({ unit: fc.constantFrom(..."aZ0 ,.()\"'\\%_*{}[]:;-é→\u{1F3B5}"), maxLength: 6 }),
);
const VALUES: Record<Kind, fc.Arbitrary<string>> = {
  number,
  text,
  boolean: fc.constantFrom("true", "false", "t", "nope"),
  json: fc.constantFrom("{}", '{"a":1}', "[]", '"x"', "{"),
  list: fc.constantFrom("{}", "{red}", '{"dark blue"}', "{a,b}", "red", "{"),
};
const OPERATORS: Record<Kind, readonly string[]> = {
  number: ["eq", "neq", "gt", "gte", "lt", "lte"],
  text: ["eq", "neq", "gt", "like", "ilike", "match", "imatch", "fts", "plfts", "phfts", "wfts"],
  boolean: ["eq", "neq"],
  json: ["eq", "cs", "cd"],
  list: ["eq", "cs", "cd", "ov"],
};

const quote = (value: string) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** `inTree`: quotes values that would end early inside a logic tree. */
function operation(kind: Kind, inTree: boolean): fc.Arbitrary<string> {
  const plain = fc
    .tuple(fc.constantFrom(...OPERATORS[kind]), VALUES[kind])
    .map(([operator, value]) => `${operator}.${inTree ? quote(value) : value}`);
  const is = fc.constantFrom("is.null", ...(kind === "boolean" ? ["is.true", "is.false", "is.unknown"] : []));
  const within = fc
    .array(VALUES[kind], { minLength: 1, maxLength: 3 })
    .map((values) => `in.(${values.map(quote).join(",")})`);
  return fc
    .tuple(fc.boolean(), fc.oneof({ weight: 4, arbitrary: plain }, is, within))
    .map(([negated, op]) => (negated ? `not.${op}` : op));
}

const pickColumn = (table: TableModel) => fc.constantFrom(...Object.entries(table.columns));

const filter = (table: TableModel): fc.Arbitrary<[string, string]> =>
  pickColumn(table).chain(([name, kind]) =>
    operation(kind, false).map((op) => [name, op] as [string, string]),
  );

function logic(table: TableModel, depth: number): fc.Arbitrary<string> {
  const leaf = pickColumn(table).chain(([name, kind]) => operation(kind, true).map((op) => `${name}.${op}`));
  const group = () =>
    fc
      .tuple(
        fc.constantFrom("and", "or", "not.and", "not.or"),
        fc.array(logic(table, depth - 1), { minLength: 1, maxLength: 3 }),
      )
      .map(([operator, members]) => `${operator}(${members.join(",")})`);
  return depth === 0 ? leaf : fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: group() });
}

const selectedColumn = (table: TableModel): fc.Arbitrary<string> =>
  pickColumn(table).chain(([name]) =>
    fc.constantFrom(name, name, `x:${name}`, `${name}::text`, `y:${name}::text`),
  );

interface Selection {
  readonly text: string;
  /** Parameters the selection needs: orders and filters of embedded resources. */
  readonly parameters: readonly (readonly [string, string])[];
}

function selection(table: TableModel, depth: number, path: string): fc.Arbitrary<Selection> {
  const columns = fc.oneof(
    fc.constant(["*"]),
    fc.uniqueArray(selectedColumn(table), { minLength: 1, maxLength: 3, selector: outputName }),
  );
  const relations =
    depth === 0 || table.relations.length === 0
      ? fc.constant([] as Selection[])
      : fc
          .subarray([...table.relations], { maxLength: Math.min(2, table.relations.length) })
          .chain((chosen) => fc.tuple(...chosen.map((one) => embedded(one, depth, path))));
  return fc.tuple(columns, relations).map(([own, embeds]) => ({
    text: [...own, ...embeds.map((embed) => embed.text)].join(","),
    parameters: embeds.flatMap((embed) => embed.parameters),
  }));
}

const outputName = (column: string): string => column.split("::")[0]!.split(":")[0]!;

function embedded(
  one: TableModel["relations"][number],
  depth: number,
  path: string,
): fc.Arbitrary<Selection> {
  const table = TABLES[one.table]!;
  const here = `${path}${one.name}.`;
  return fc
    .record({
      join: fc.constantFrom("", "", "!inner", "!left"),
      inner: selection(table, depth - 1, here),
      filters: fc.array(filter(table), { maxLength: 1 }),
      limit: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    })
    .map(({ join, inner, filters, limit }) => ({
      text: `${one.name}${join}(${inner.text})`,
      parameters: [
        ...inner.parameters,
        ...filters.map(([name, op]) => [`${here}${name}`, op] as const),
        [`${here}order`, table.key] as const,
        ...(limit === undefined || one.toOne ? [] : [[`${here}limit`, String(limit)] as const]),
      ],
    }));
}

export const randomRead: fc.Arbitrary<Exchange> = fc
  .constantFrom(...Object.entries(TABLES))
  .chain(([name, table]) =>
    fc
      .record({
        selected: selection(table, 2, ""),
        filters: fc.array(filter(table), { maxLength: 2 }),
        tree: fc.option(logic(table, 2), { nil: undefined }),
        descending: fc.constantFrom("", ".desc", ".desc.nullslast"),
        limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        offset: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
        count: fc.constantFrom("", "count=exact"),
        accept: fc.constantFrom("application/json", "application/json", "application/vnd.pgrst.object+json"),
      })
      .map(({ selected, filters, tree, descending, limit, offset, count, accept }) => {
        const query = new URLSearchParams({ select: selected.text, order: `${table.key}${descending}` });
        for (const [key, value] of [...filters, ...selected.parameters]) query.append(key, value);
        if (tree !== undefined) query.append("or", `(${tree},${table.key}.eq.1)`);
        if (limit !== undefined) query.append("limit", String(limit));
        if (offset !== undefined) query.append("offset", String(offset));
        return { path: `/${name}?${query.toString()}`, headers: { accept, ...(count && { prefer: count }) } };
      }),
  );
