// PostgREST's API on the exposed schema: parse → plan → one SQL statement → respond. Owns the order of these stages and
// what happens between them: the caller's scope, a second look at a schema that changed, errors in PostgREST's format.
import type { Clock } from "../platform/clock.ts";
import type { Service, ServiceContext } from "../platform/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import type { RequestScope } from "../postgres/request-scope.ts";
import { listenTo } from "../postgres/listen.ts";
import { departed } from "../postgres/turns.ts";
import { internalError, renderError, RestError } from "./errors.ts";
import { execute } from "./execute.ts";
import { parseRequest, SCHEMA, type ApiRequest } from "./parse/request.ts";
import { makePlan, type Plan } from "./plan/plan.ts";
import { respond } from "./respond.ts";
import { createSchemaKeeper } from "./schema/cache.ts";
import { fromPostgres, isPostgresError } from "./sqlstate.ts";
import { createStatementNames } from "./statement-names.ts";

export interface RestDeps {
  readonly database: Database;
  /** Where to listen for NOTIFY pgrst, 'reload schema', on a connection of its own. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The most rows one answer holds, as Supabase's `max_rows`. */
  readonly maxRows?: number;
  /** The most bytes one answer holds; 8 MB when left out. */
  readonly maxBytes?: number;
}

export interface Rest extends Service {
  close(): Promise<void>;
}

const DEFAULT_MAX_ROWS = 1000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

export function createRest(deps: RestDeps): Rest {
  const { database, log } = deps;
  const maxRows = deps.maxRows ?? DEFAULT_MAX_ROWS;
  const names = createStatementNames();
  const limits = { maxRows, maxBytes: deps.maxBytes ?? DEFAULT_MAX_BYTES };
  const execution = { database, names, limits };
  const { clock } = deps;
  const schema = createSchemaKeeper({ database, schema: SCHEMA, clock, onChange: () => names.forget() });
  const forget = () => {
    schema.invalidate();
    database.forgetRoleSettings();
  };
  const listener = listenTo(
    "pgrst",
    deps.databaseUrl,
    {
      onNotice: (payload) => {
        if (["reload schema", "reload config", ""].includes(payload)) forget();
      },
      onConnected: forget,
    },
    log,
  );

  /** What is not in the schema may have been made since it was read. */
  async function plan(request: ApiRequest): Promise<Plan> {
    const cache = await schema.current();
    try {
      return makePlan(request, cache, { maxRows });
    } catch (error) {
      if (!(error instanceof RestError) || !error.code.startsWith("PGRST2")) throw error;
      const newer = await schema.refreshed(cache);
      if (newer === undefined) throw error;
      return makePlan(request, newer, { maxRows });
    }
  }

  async function answer(asked: Request, context: ServiceContext): Promise<Response> {
    const request = await parseRequest(asked);
    const planned = await plan(request);
    if (planned.kind === "describe")
      return new Response(null, { headers: { allow: planned.allow.join(",") } });
    return respond(planned, request, await execute(execution, planned, request, scopeOf(asked, context)));
  }

  return {
    async fetch(request, context) {
      const response = await answer(request, context).catch((error: unknown) => explain(error, context, log));
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
    renderError,
    close: () => listener.close(),
  };
}

function explain(error: unknown, { claims, requestId, departure }: ServiceContext, log: Log): Response {
  if (departure?.gone) return renderError(departed());
  if (error instanceof ServiceError) {
    if (error.code === "PGRST001") log.error({ err: error.cause, requestId }, "the database is away");
    return renderError(error);
  }
  if (isPostgresError(error)) {
    const known = fromPostgres(error, claims.role === "anon");
    if (known.status >= 500) log.error({ err: error, requestId }, "a statement failed");
    return renderError(known);
  }
  log.error({ err: error, requestId }, "rest request failed");
  return renderError(internalError(error));
}

/** SQL reads these with current_setting('request.method') and so on. */
const scopeOf = (request: Request, { claims, ip, departure, kept }: ServiceContext): RequestScope => ({
  claims,
  address: ip,
  departure,
  kept,
  method: request.method,
  path: new URL(request.url).pathname,
  headers: Object.fromEntries(request.headers),
});
