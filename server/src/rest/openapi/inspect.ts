// Answers the root: the document of what the caller may see, by the current privileges of its role.
import type { Database } from "../../postgres/database.ts";
import type { RequestScope } from "../../postgres/scope/request-scope.ts";
import type { ApiRequest } from "../parse/request.ts";
import type { SchemaCache } from "../schema/model.ts";
import { openApiDocument } from "./document.ts";

const MAX_KEPT = 8;

/**
 * Building a document takes milliseconds, so the last few are kept, each with the schema cache it was built
 * from.
 */
export function createInspector(database: Database) {
  const kept = new Map<string, { readonly cache: SchemaCache; readonly text: string }>();

  return async (
    request: ApiRequest,
    cache: SchemaCache,
    scope: RequestScope,
    address: string,
  ): Promise<Response> => {
    const { rows } = await database.run(
      { ...scope, readOnly: true },
      { text: VISIBLE, values: [cache.schema] },
    );
    const { tables, routines } = rows[0] as { tables: number[]; routines: number[] };
    const key = JSON.stringify([cache.schema, tables, routines, address]);
    let known = kept.get(key);
    if (known?.cache !== cache) {
      const document = openApiDocument({
        cache,
        tables: [...cache.tables.values()].filter(({ oid }) => tables.includes(oid)),
        routines: [...cache.routines.values()].flat().filter(({ oid }) => routines.includes(oid)),
        address,
      });
      known = { cache, text: JSON.stringify(document) };
      kept.delete(key);
      kept.set(key, known);
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
    }
    return new Response(known.text, {
      headers: {
        "content-type": "application/openapi+json; charset=utf-8",
        ...(request.profile === undefined ? {} : { "content-profile": request.profile }),
      },
    });
  };
}

const VISIBLE = `
select
  coalesce((select json_agg(c.oid::int8::float8) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and (pg_has_role(c.relowner, 'USAGE')
        or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))), '[]') as tables,
  coalesce((select json_agg(p.oid::int8::float8) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $1 and p.prokind = 'f' and has_function_privilege(p.oid, 'EXECUTE')), '[]') as routines`;
