// PostgREST's API on the exposed schemas: parse → plan → one SQL statement → respond. Owns the order of these stages and
// what happens between them: the caller's scope, the reload of a schema that changed, errors in PostgREST's format.
import type { Clock } from "../platform/clock.ts";
import type { Service, ServiceContext } from "../platform/http/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import { listenTo } from "../postgres/connections/listen.ts";
import { departed } from "../postgres/connections/turns.ts";
import { internalError, renderError, RestError } from "./errors.ts";
import { execute, prepare, preRequest, searchPath, type Prepared } from "./execute.ts";
import { createInspector } from "./openapi/inspect.ts";
import { withKnownTimezone } from "./parse/preferences.ts";
import { parseRequest, type ApiRequest } from "./parse/request.ts";
import { makePlan, type Plan } from "./plan/plan.ts";
import { createPreparedRequests } from "./prepared-requests.ts";
import { respond, toResponse } from "./respond.ts";
import { createSchemaKeepers } from "./schema/cache.ts";
import { createTimezones } from "./schema/timezones.ts";
import {
  createSettingsKeeper,
  DEFAULT_SETTINGS,
  type GivenSettings,
  type RestSettings,
  withSettings,
} from "./settings.ts";
import { fromPostgres, isPostgresError } from "./sqlstate.ts";
import { createStatementNames } from "./statement-names.ts";
import { createStopwatch, type Stopwatch } from "./stopwatch.ts";
import { revalidated } from "./validators.ts";

export interface RestDeps {
  readonly database: Database;
  /** Where to listen for NOTIFY pgrst, 'reload schema', on a dedicated connection. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** By PostgREST's names, e.g. `db-schemas`; docs/REST.md lists them. */
  readonly settings?: GivenSettings;
  /** The maximum number of rows in an answer, as Supabase's `max_rows`. */
  readonly maxRows?: number;
  /** The maximum number of bytes in an answer, 8 MB by default. */
  readonly maxBytes?: number;
}

export interface Rest extends Service {
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

export const createRest = (deps: RestDeps): Rest => new RestService(deps);

class RestService implements Rest {
  readonly renderError = renderError;
  readonly #database: Database;
  readonly #log: Log;
  readonly #maxBytes: number;
  readonly #names = createStatementNames();
  readonly #prepared = createPreparedRequests();
  readonly #settings: ReturnType<typeof createSettingsKeeper>;
  readonly #schemas: ReturnType<typeof createSchemaKeepers>;
  readonly #timezones: ReturnType<typeof createTimezones>;
  readonly #inspect: ReturnType<typeof createInspector>;
  readonly #listener: ReturnType<typeof listenTo>;

  constructor({ database, databaseUrl, clock, log, settings, maxRows, maxBytes }: RestDeps) {
    this.#database = database;
    this.#log = log;
    this.#maxBytes = maxBytes ?? DEFAULT_MAX_BYTES;
    const base = { ...DEFAULT_SETTINGS, ...(maxRows === undefined ? {} : { maxRows }) };
    this.#settings = createSettingsKeeper(database, withSettings(base, settings ?? {}), log);
    this.#schemas = createSchemaKeepers({
      database,
      clock,
      viewSchemas: async () => {
        const { schemas, extraSearchPath } = await this.#settings.current();
        return [...schemas, ...extraSearchPath];
      },
      onChange: () => this.#names.forget(),
    });
    this.#timezones = createTimezones(database);
    this.#inspect = createInspector(database);
    this.#listener = listenTo(
      "pgrst",
      databaseUrl,
      { onNotice: (payload) => this.#onNotice(payload), onConnected: () => this.#onNotice("") },
      log,
    );
  }

  async fetch(request: Request, context: ServiceContext): Promise<Response> {
    const response = await this.#answer(request, context).catch((error: unknown) =>
      this.#explain(error, context),
    );
    return request.method === "HEAD" ? new Response(null, response) : response;
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  #onNotice(payload: string): void {
    if (!["reload schema", "reload config", ""].includes(payload)) return;
    if (payload !== "reload schema") {
      this.#settings.invalidate();
      this.#database.forgetRoleSettings();
    }
    this.#schemas.invalidate();
  }

  async #answer(asked: Request, context: ServiceContext): Promise<Response> {
    const found = this.#settings.current();
    const settings = found instanceof Promise ? await found : found;
    const watch = createStopwatch(settings.serverTiming, context.identifiedMs ?? 0);
    const known = this.#prepared.find(asked, settings, (schema) => this.#schemas.of(schema).known);
    const prepared = known ?? (await this.#prepare(asked, settings, watch, context));
    if (prepared instanceof Response) return prepared;
    const answer = await execute(this.#database, this.#names, prepared, scopeOf(asked, context));
    watch.mark("transaction");
    const response = toResponse(revalidated(asked, context, respond(prepared, answer)));
    watch.mark("response");
    return watch.on(response);
  }

  /** Everything up to the statement, or the response where none is needed. */
  async #prepare(
    asked: Request,
    settings: RestSettings,
    watch: Stopwatch,
    context: ServiceContext,
  ): Promise<Prepared | Response> {
    const request = await this.#parse(asked, settings);
    watch.mark("parse");
    const cache = await this.#schemas.of(request.schema).current();
    const plan = await this.#plan(request, settings);
    watch.mark("plan");
    if (plan.kind === "describe") {
      return new Response(null, {
        headers: { allow: plan.allow.join(","), "access-control-allow-origin": "*" },
      });
    }
    if (plan.kind === "inspect") {
      const scope = {
        ...scopeOf(asked, context),
        searchPath: searchPath(request.schema, settings),
        before: preRequest(settings),
      };
      return this.#inspect(request, cache, scope, `${context.apiUrl}/rest/v1`);
    }
    const prepared = prepare(request, plan, settings, this.#maxBytes);
    if (this.#schemas.of(request.schema).known === cache) this.#prepared.keep(asked, prepared, cache);
    return prepared;
  }

  async #parse(asked: Request, settings: RestSettings): Promise<ApiRequest> {
    const request = await parseRequest(asked, settings);
    if (request.preferences.timezone === undefined) return request;
    const zones = await this.#timezones.names();
    return { ...request, preferences: withKnownTimezone(request.preferences, zones) };
  }

  /** What the schema cache lacks may have been created since it was loaded. */
  async #plan(request: ApiRequest, settings: RestSettings): Promise<Plan> {
    const schema = this.#schemas.of(request.schema);
    const cache = await schema.current();
    try {
      return makePlan(request, cache, settings);
    } catch (error) {
      if (!(error instanceof RestError) || !error.code.startsWith("PGRST2")) throw error;
      const newer = await schema.refreshed(cache);
      if (newer === undefined) throw error;
      return makePlan(request, newer, settings);
    }
  }

  #explain(error: unknown, { claims, requestId, departure }: ServiceContext): Response {
    if (departure?.gone) return renderError(departed());
    if (error instanceof ServiceError) {
      if (error.code === "PGRST001") {
        this.#log.error({ err: error.cause, requestId }, "the database is unavailable");
      }
      return renderError(error);
    }
    if (isPostgresError(error)) {
      const known = fromPostgres(error, claims.role === "anon");
      if (known.status >= 500) this.#log.error({ err: error, requestId }, "a statement failed");
      return renderError(known);
    }
    this.#log.error({ err: error, requestId }, "rest request failed");
    return renderError(internalError(error));
  }
}

/** SQL reads these with current_setting('request.method') and so on. */
function scopeOf(request: Request, { claims, ip, departure, reserved }: ServiceContext): RequestScope {
  const headers = Object.fromEntries(request.headers);
  const cookies = headers.cookie;
  return {
    claims,
    address: ip,
    departure,
    reserved,
    method: request.method,
    path: pathOf(request.url),
    headers,
    settings: { "request.cookies": cookies === undefined ? "{}" : JSON.stringify(parseCookies(cookies)) },
  };
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

const parseCookies = (header: string): Record<string, string> =>
  Object.fromEntries(
    header
      .split(";")
      .map((part) => part.trim())
      .filter((part) => part.includes("="))
      .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );
