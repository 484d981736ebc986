// Reads seen before, already parsed, planned and written as SQL, because a crowd requests the same few addresses. Bounded in
// number and in length, and valid only for the schema and the settings they were prepared for.
import type { Prepared } from "./execute.ts";
import type { SchemaCache } from "./schema/model.ts";
import type { RestSettings } from "./settings.ts";

export interface PreparedRequests {
  find(
    asked: Request,
    settings: RestSettings,
    cacheOf: (schema: string) => SchemaCache | undefined,
  ): Prepared | undefined;
  /** Does nothing for a request with a body. */
  keep(asked: Request, prepared: Prepared, cache: SchemaCache): void;
}

const MAX_KEPT = 500;
const LONGEST_KEY = 2000;
const LONGEST_STATEMENT = 20_000;
/** The headers that, with the address, decide what is requested. */
const HEADERS = ["accept", "accept-profile", "prefer", "range"];

export function createPreparedRequests(): PreparedRequests {
  const kept = new Map<string, { readonly prepared: Prepared; readonly cache: SchemaCache }>();

  return {
    find(asked, settings, cacheOf) {
      const key = keyOf(asked);
      const found = key === undefined ? undefined : kept.get(key);
      if (found === undefined) return undefined;
      const { prepared, cache } = found;
      if (prepared.settings === settings && cacheOf(cache.schema) === cache) return prepared;
      kept.delete(key!);
      return undefined;
    },
    keep(asked, prepared, cache) {
      const key = keyOf(asked);
      if (key === undefined || prepared.statement.text.length > LONGEST_STATEMENT) return;
      kept.set(key, { prepared, cache });
      // Drops the oldest. What a crowd requests is prepared again at once.
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
    },
  };
}

function keyOf({ method, url, headers }: Request): string | undefined {
  if ((method !== "GET" && method !== "HEAD") || url.length > LONGEST_KEY) return undefined;
  const key = HEADERS.reduce((text, name) => `${text}\n${headers.get(name) ?? ""}`, `${method} ${url}`);
  return key.length > LONGEST_KEY ? undefined : key;
}
