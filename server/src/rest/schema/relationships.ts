// Every relationship of the exposed tables and views, derived from foreign keys: seen from both ends, through views
// that show the key's columns, and through junction tables whose primary key contains two foreign keys.
import type { ColumnPairs, Relationship } from "./model.ts";
import type { Catalog, ForeignKeyRow } from "./queries.ts";
import { viewOrigins } from "./view-columns.ts";

/** A table, or a view that shows it, with the names its columns have there. */
interface Appearance {
  readonly name: string;
  readonly isView: boolean;
  /** By the table's column number; a view may show a column more than once, or not at all. */
  readonly columns: ReadonlyMap<number, readonly string[]>;
}

type KeyRelationship = Extract<Relationship, { kind: "key" }> & { readonly tableIsView: boolean };

export interface Derived {
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  readonly viewPrimaryKeys: ReadonlyMap<string, readonly string[]>;
}

export function deriveRelationships(catalog: Catalog): Derived {
  const appearances = findAppearances(catalog);
  const viewPrimaryKeys = findViewPrimaryKeys(catalog, appearances);
  const primaryKeys = new Map([
    ...catalog.tables.map(({ name, primary_key }) => [name, primary_key] as const),
    ...viewPrimaryKeys,
  ]);
  const keys = catalog.foreignKeys.flatMap((key) => keyRelationships(key, appearances));
  const computed = catalog.computed.map((row): Relationship => ({
    kind: "computed",
    table: row.table,
    foreignTable: row.foreign_table,
    foreignIsView: false,
    cardinality: row.to_one ? "many-to-one" : "one-to-many",
    function: row.function,
  }));
  const all: Relationship[] = [...keys, ...junctions(keys, primaryKeys), ...keys.map(inverse)];
  // A computed relationship replaces those of the same name.
  const kept = all.filter(
    (one) =>
      !computed.some(
        (other) =>
          other.kind === "computed" && other.table === one.table && other.function === one.foreignTable,
      ),
  );
  return { relationships: Map.groupBy([...kept, ...computed], ({ table }) => table), viewPrimaryKeys };
}

function findAppearances({ tables, views }: Catalog): Map<number, Appearance[]> {
  const found = new Map<number, Appearance[]>();
  const add = (oid: number, appearance: Appearance) =>
    found.set(oid, [...(found.get(oid) ?? []), appearance]);

  const originsOf = new Map(views.map(({ oid, rule }) => [oid, viewOrigins(rule)]));
  for (const table of tables) {
    if (!table.is_view) {
      const columns = new Map(table.columns.map(({ number, name }) => [number, [name]]));
      add(table.oid, { name: table.name, isView: false, columns });
      continue;
    }
    const shown = new Map<number, Map<number, string[]>>();
    for (const { number, name } of table.columns) {
      // Follow a view over a view to the table underneath.
      let origin = originsOf.get(table.oid)?.get(number);
      const visited = new Set<number>();
      while (origin) {
        const columns = shown.get(origin.table) ?? new Map<number, string[]>();
        columns.set(origin.column, [...(columns.get(origin.column) ?? []), name]);
        shown.set(origin.table, columns);
        if (visited.has(origin.table)) break;
        visited.add(origin.table);
        origin = originsOf.get(origin.table)?.get(origin.column);
      }
    }
    for (const [oid, columns] of shown) add(oid, { name: table.name, isView: true, columns });
  }
  return found;
}

function findViewPrimaryKeys(
  { primaryKeyColumns }: Catalog,
  appearances: ReadonlyMap<number, readonly Appearance[]>,
): Map<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const [table, columns] of Map.groupBy(primaryKeyColumns, (row) => row.table)) {
    for (const view of (appearances.get(table) ?? []).filter(({ isView }) => isView)) {
      const names = columns.map(({ number }) => view.columns.get(number)?.[0]);
      const shown = names.filter((name) => name !== undefined);
      if (shown.length === columns.length) keys.set(view.name, [...(keys.get(view.name) ?? []), ...shown]);
    }
  }
  return keys;
}

/** One for each pair of a table or view that shows the referencing columns and one that shows the referenced ones. */
function keyRelationships(
  key: ForeignKeyRow,
  appearances: ReadonlyMap<number, readonly Appearance[]>,
): KeyRelationship[] {
  const sources = appearances.get(key.table) ?? [];
  const targets = appearances.get(key.foreign_table) ?? [];
  return sources.flatMap((source) =>
    targets.flatMap((target) =>
      choices(key.columns, source).flatMap((here) =>
        choices(key.foreign_columns, target).map((there): KeyRelationship => ({
          kind: "key",
          table: source.name,
          tableIsView: source.isView,
          inverse: false,
          foreignTable: target.name,
          foreignIsView: target.isView,
          cardinality: key.one_to_one ? "one-to-one" : "many-to-one",
          constraint: key.name,
          columns: here.map((name, index) => [name, there[index]!] as const),
        })),
      ),
    ),
  );
}

/** Every way to name the columns here, or none if one of them is not shown. */
function choices(numbers: readonly number[], appearance: Appearance): string[][] {
  return numbers.reduce<string[][]>(
    (lists, number) =>
      lists.flatMap((list) => (appearance.columns.get(number) ?? []).map((name) => [...list, name])),
    [[]],
  );
}

function inverse(key: KeyRelationship): Relationship {
  return {
    ...key,
    table: key.foreignTable,
    foreignTable: key.table,
    foreignIsView: key.tableIsView,
    inverse: true,
    cardinality: key.cardinality === "one-to-one" ? "one-to-one" : "one-to-many",
    columns: swap(key.columns),
  };
}

function junctions(
  keys: readonly KeyRelationship[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): Relationship[] {
  const manyToOne = keys.filter(({ cardinality }) => cardinality === "many-to-one");
  return manyToOne.flatMap((source) => {
    const primaryKey = primaryKeys.get(source.table) ?? [];
    return manyToOne
      .filter((target) => target.table === source.table && target.constraint !== source.constraint)
      .filter((target) =>
        [...source.columns, ...target.columns].every(([column]) => primaryKey.includes(column)),
      )
      .map((target): Relationship => ({
        kind: "junction",
        cardinality: "many-to-many",
        table: source.foreignTable,
        foreignTable: target.foreignTable,
        foreignIsView: target.foreignIsView,
        junction: source.table,
        constraints: [source.constraint, target.constraint],
        source: swap(source.columns),
        target: swap(target.columns),
      }));
  });
}

const swap = (pairs: ColumnPairs): ColumnPairs => pairs.map(([here, there]) => [there, here]);
