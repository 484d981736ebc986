// What a join may ask for: refuses a subscription that could never deliver.
import type { Claims } from "../../platform/jwt.ts";
import type { Database } from "../../postgres/database.ts";
import type { ChangeRequest } from "../join.ts";
import * as queries from "../queries.ts";
import { type Condition, FilterError, parseFilter } from "./filter.ts";
import { filterFault } from "./filtering.ts";

/** Message for the subscriber. */
export class SubscriptionError extends Error {}

/** Throws SubscriptionError. */
export function parseConditions({ filter }: ChangeRequest): Condition[] {
  try {
    return filter ? parseFilter(filter) : [];
  } catch (error) {
    if (error instanceof FilterError) throw new SubscriptionError(error.message);
    throw error;
  }
}

/** Checks the requests of one join: each table they name is looked up once. */
export function createRequestCheck(database: Database) {
  const lookups = new Map<string, Promise<readonly queries.TableShape[]>>();

  function publishedTables({ schema, table }: ChangeRequest) {
    const names = [nameOrAny(schema), nameOrAny(table)] as const;
    const key = JSON.stringify(names);
    const lookup = lookups.get(key) ?? queries.publishedTables(database, ...names);
    lookups.set(key, lookup);
    return lookup;
  }

  /** Throws SubscriptionError for a table that is not published, or a filter its columns cannot be compared with. */
  return async (claims: Claims, request: ChangeRequest): Promise<void> => {
    const tables = await publishedTables(request);
    if (tables.length === 0) throw notPublished(request);
    const conditions = parseConditions(request);
    if (conditions.length === 0) return;
    const readable = await Promise.all(
      tables.map((table) => queries.readableColumns(database, claims, table.oid)),
    );
    for (const { column } of conditions) {
      if (!readable.some((columns) => columns.has(column))) {
        throw new SubscriptionError(`invalid column for filter ${column}`);
      }
    }
    for (const table of tables) {
      const fault = await filterFault(database, claims, table, conditions);
      if (fault !== undefined) throw new SubscriptionError(fault);
    }
  };
}

const nameOrAny = (name: string | null | undefined) => (name === "*" || !name ? null : name);

const notPublished = ({ schema, table, filter }: ChangeRequest) =>
  new SubscriptionError(
    "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect " +
      `parameters: [schema: ${schema ?? "*"}, table: ${table ?? "*"}, filters: [${filter ?? ""}]]`,
  );
