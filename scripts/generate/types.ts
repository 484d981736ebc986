// Writes the schema as TypeScript in the shape `supabase gen types typescript` gives, which supabase-js reads to type
// every query. Hides which PostgreSQL type becomes which TypeScript type.
import type { Catalogue, Column, Routine, Table, TypeName } from "./catalogue.ts";
import { GENERICS, HEADER } from "./types-fixed-parts.ts";

const SCALARS: Readonly<Record<string, string>> = {
  ...fill("boolean", ["bool"]),
  ...fill("number", ["int2", "int4", "int8", "float4", "float8", "numeric"]),
  ...fill("string", ["text", "varchar", "bpchar", "name", "citext", "uuid", "bytea", "xid8"]),
  ...fill("string", ["date", "time", "timetz", "timestamp", "timestamptz"]),
  ...fill("Json", ["json", "jsonb"]),
  ...fill("undefined", ["void"]),
  ...fill("Record<string, unknown>", ["record"]),
};

function fill(type: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

export function renderTypes(catalogue: Catalogue): string {
  const known = new Set(catalogue.tables.map((table) => table.name));
  const enumerations = new Set(catalogue.enumerations.map((one) => one.name));
  const type = (name: TypeName): string => {
    const one = enumerations.has(name.name)
      ? `Database["public"]["Enums"]["${name.name}"]`
      : name.schema === "public" && known.has(name.name)
        ? `Database["public"]["Tables"]["${name.name}"]["Row"]`
        : (SCALARS[name.name] ?? "unknown");
    return name.array ? `${one}[]` : one;
  };

  const tables = catalogue.tables.filter((table) => table.kind === "r" || table.kind === "p");
  const views = catalogue.tables.filter((table) => table.kind === "v" || table.kind === "m");
  const routines = catalogue.routines.filter((routine) => !routine.trigger && routine.callers.length > 0);
  return [
    HEADER,
    "export type Database = {",
    "  public: {",
    ...block(
      "Tables",
      tables.flatMap((table) => renderTable(table, type, known)),
    ),
    ...block(
      "Views",
      views.flatMap((view) => renderView(view, type)),
    ),
    ...block(
      "Functions",
      routines.flatMap((routine) => renderRoutine(routine, type)),
    ),
    ...block(
      "Enums",
      catalogue.enumerations.map((one) => `      ${one.name}: ${one.labels.map(quote).join(" | ")}`),
    ),
    ...block("CompositeTypes", []),
    "  }",
    "}",
    "",
    GENERICS,
  ].join("\n");
}

const quote = (text: string) => JSON.stringify(text);

function block(name: string, lines: readonly string[]): string[] {
  return [`    ${name}: {`, ...(lines.length > 0 ? lines : ["      [_ in never]: never"]), "    }"];
}

type TypeWriter = (name: TypeName) => string;

function renderTable(table: Table, type: TypeWriter, known: ReadonlySet<string>): string[] {
  const columns = table.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const value = (column: Column) => type(column.baseType) + (column.nullable ? " | null" : "");
  const written = (column: Column) => (column.generated || column.identity === "a" ? "never" : value(column));
  const optional = (column: Column) =>
    column.nullable || column.default !== null || column.identity !== "" || column.generated;
  return [
    `      ${table.name}: {`,
    "        Row: {",
    ...columns.map((column) => `          ${column.name}: ${value(column)}`),
    "        }",
    "        Insert: {",
    ...columns.map((column) => `          ${column.name}${optional(column) ? "?" : ""}: ${written(column)}`),
    "        }",
    "        Update: {",
    ...columns.map((column) => `          ${column.name}?: ${written(column)}`),
    "        }",
    ...renderRelationships(table, known),
    "      }",
  ];
}

/** Only keys to tables of this file: supabase-js looks the other side up in it. */
function renderRelationships(table: Table, known: ReadonlySet<string>): string[] {
  const keys = table.constraints.filter(
    ({ references }) => references?.schema === "public" && known.has(references.table),
  );
  if (keys.length === 0) return ["        Relationships: []"];
  const unique = new Set(
    table.constraints.filter(({ kind }) => kind === "p" || kind === "u").map(({ columns }) => columns.join()),
  );
  return [
    "        Relationships: [",
    ...keys
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((key) => [
        "          {",
        `            foreignKeyName: ${quote(key.name)}`,
        `            columns: [${key.columns.map(quote).join(", ")}]`,
        `            isOneToOne: ${unique.has(key.columns.join())}`,
        `            referencedRelation: ${quote(key.references!.table)}`,
        `            referencedColumns: [${key.references!.columns.map(quote).join(", ")}]`,
        "          },",
      ]),
    "        ]",
  ];
}

function renderView(view: Table, type: TypeWriter): string[] {
  return [
    `      ${view.name}: {`,
    "        Row: {",
    ...view.columns.map((column) => `          ${column.name}: ${type(column.baseType)} | null`),
    "        }",
    "        Relationships: []",
    "      }",
  ];
}

function renderRoutine(routine: Routine, type: TypeWriter): string[] {
  const parameters = routine.arguments
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type: of, optional }) => `${name}${optional ? "?" : ""}: ${type(of)}`);
  const row =
    routine.outputs.length > 0
      ? [
          "{",
          ...routine.outputs.map(({ name, type: of }) => `          ${name}: ${type(of)}`),
          "        }",
        ].join("\n")
      : type(routine.returns);
  return [
    `      ${routine.name}: {`,
    `        Args: ${parameters.length > 0 ? `{ ${parameters.join("; ")} }` : "never"}`,
    `        Returns: ${row}${routine.setof ? "[]" : ""}`,
    "      }",
  ];
}
