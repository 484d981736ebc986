// The schema cache and its freshness. Loads on first use, on notification of a changed schema, and when a request names
// something it does not know. Hides that many requests may wait for the same load.
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../postgres/database.ts";
import type { Routine, SchemaCache, Table } from "./model.ts";
import { readCatalog, type Catalog } from "./queries.ts";
import { deriveRelationships } from "./relationships.ts";

export interface SchemaKeeper {
  current(): Promise<SchemaCache>;
  /** What `current` returns, if it is already loaded. */
  readonly known: SchemaCache | undefined;
  /** A newer cache than `stale`, or undefined if nothing has changed. A flood of misses triggers no extra loads. */
  refreshed(stale: SchemaCache): Promise<SchemaCache | undefined>;
  /** Makes the next request reload the schema. */
  invalidate(): void;
}

/** Misses load the schema at most this often. */
const REFRESH_INTERVAL_MS = 1000;

export interface SchemaKeeperDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** The schemas whose views are followed to the tables underneath. */
  readonly viewSchemas: () => Promise<readonly string[]>;
  /** The schema has changed, so what was derived from it is stale. */
  readonly onChange: () => void;
}

/** One keeper for each exposed schema, created on first use. */
export function createSchemaKeepers(deps: SchemaKeeperDeps) {
  const keepers = new Map<string, SchemaKeeper>();
  return {
    of(schema: string): SchemaKeeper {
      let keeper = keepers.get(schema);
      if (keeper === undefined) keepers.set(schema, (keeper = createSchemaKeeper(deps, schema)));
      return keeper;
    },
    invalidate: () => keepers.forEach((keeper) => keeper.invalidate()),
  };
}

function createSchemaKeeper(deps: SchemaKeeperDeps, schema: string): SchemaKeeper {
  const { database, clock, onChange } = deps;
  let loading: Promise<SchemaCache> | undefined;
  let known: SchemaCache | undefined;
  let loadedAt = -Infinity;
  let last: { readonly catalog: string; readonly cache: SchemaCache } | undefined;

  /** An unchanged catalog returns the same cache, so that a reload without changes invalidates nothing. */
  const toCache = (read: Catalog): SchemaCache => {
    const catalog = JSON.stringify(read);
    if (last?.catalog === catalog) return last.cache;
    if (last) onChange();
    last = { catalog, cache: buildCache(read) };
    return last.cache;
  };

  const read = async () => readCatalog(database, schema, await deps.viewSchemas());
  const load = () => {
    loadedAt = clock.now();
    const attempt = read().then(toCache);
    attempt.then(
      (cache) => {
        if (loading === attempt) known = cache;
      },
      () => {
        if (loading === attempt) loading = undefined;
      },
    );
    return (loading = attempt);
  };

  return {
    current: () => loading ?? load(),
    get known() {
      return known;
    },
    async refreshed(stale) {
      const present = await (loading ?? load());
      if (present !== stale) return present;
      if (clock.now() - loadedAt < REFRESH_INTERVAL_MS) return undefined;
      const loaded = await load();
      return loaded === stale ? undefined : loaded;
    },
    invalidate() {
      loading = undefined;
      known = undefined;
    },
  };
}

function buildCache(catalog: Catalog): SchemaCache {
  const { relationships, viewPrimaryKeys } = deriveRelationships(catalog);
  const tables = catalog.tables.map((row): Table => ({
    oid: row.oid,
    schema: catalog.schema,
    name: row.name,
    isView: row.is_view,
    columns: new Map(row.columns.map((column) => [column.name, column])),
    primaryKey: viewPrimaryKeys.get(row.name) ?? row.primary_key,
    insertable: row.insertable,
    updatable: row.updatable,
    deletable: row.deletable,
    description: row.description,
  }));
  const routines = catalog.routines.map((row): Routine => ({
    oid: row.oid,
    schema: catalog.schema,
    name: row.name,
    parameters: row.parameters,
    returns: row.returns,
    returnType: row.return_type,
    mediaType: row.declared_type.includes("/") ? row.declared_type : undefined,
    returnsSet: row.returns_set,
    volatility: row.volatility === "i" ? "immutable" : row.volatility === "s" ? "stable" : "volatile",
    description: row.description,
  }));
  return {
    schema: catalog.schema,
    description: catalog.description,
    tables: new Map(tables.map((table) => [table.name, table])),
    relationships,
    routines: Map.groupBy(routines, ({ name }) => name),
    types: castableTypes(catalog),
  };
}

/** SQL's own type names, which are keywords. Quoted, they would name something else. */
const STANDARD_TYPES = [
  ...[
    "int",
    "integer",
    "bigint",
    "smallint",
    "real",
    "float",
    "double precision",
    "decimal",
    "numeric",
    "boolean",
  ],
  ...["char", "character", "character varying", "bit", "bit varying", "interval"],
  ...[
    "timestamp with time zone",
    "timestamp without time zone",
    "time with time zone",
    "time without time zone",
  ],
];

function castableTypes({ types }: Catalog): Map<string, string> {
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  // Later entries win: PostgreSQL searches pg_catalog first.
  const precedence = (schema: string) => (schema === "pg_catalog" ? 2 : schema === "extensions" ? 0 : 1);
  return new Map([
    ...types
      .toSorted((a, b) => precedence(a.schema) - precedence(b.schema))
      .map(({ name, schema }) => [name, `${quote(schema)}.${quote(name)}`] as const),
    ...STANDARD_TYPES.map((name) => [name, name] as const),
  ]);
}
