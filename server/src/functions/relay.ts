// The relay in front of every function: finds it, decides whether the caller may call it, and passes the request to its handler or
// worker.
import type { ServiceContext } from "../platform/http/context.ts";
import { CORS_HEADERS, preflight } from "../platform/http/cors.ts";
import { ServiceError } from "../platform/errors.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import { withHeaders } from "../platform/http/response-headers.ts";
import type { FunctionsServiceDeps } from "./service-deps.ts";
import type { Handlers } from "./handlers.ts";
import { regionOf } from "./regions.ts";
import { RelayError, tokenError } from "./relay-errors.ts";
import type { ServedFunctions } from "./served.ts";

export class Relay {
  readonly #handlers: Handlers | undefined;
  readonly #served: ServedFunctions;
  readonly #log: FunctionsServiceDeps["log"];
  readonly #workers;

  constructor(handlers: Handlers | undefined, served: ServedFunctions, deps: FunctionsServiceDeps) {
    this.#handlers = handlers;
    this.#served = served;
    this.#log = deps.log;
    this.#workers = onFirstUse(() => openWorkers(deps));
  }

  /** Rejects only with a ServiceError: the gateway's refusal of a body that is read here. */
  async fetch(request: Request, context: ServiceContext): Promise<Response> {
    const region = { "x-sb-edge-region": regionOf(request) };
    try {
      return withHeaders(await this.#answer(request, context), region);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (error instanceof RelayError) return withHeaders(error.answer(), region);
      this.#log.error({ err: error, requestId: context.requestId }, "function could not be reached");
      return withHeaders(new RelayError("WORKER_ERROR").answer(), region);
    }
  }

  /** A worker reads bodies as they arrive. */
  async takesUnread(path: string): Promise<boolean> {
    const found = await this.#served.find(nameIn(path)).catch(() => undefined);
    return found !== undefined && found.handler === undefined;
  }

  async close(): Promise<void> {
    const workers = await this.#workers.loaded()?.catch(() => undefined);
    await workers?.close();
  }

  async #answer(request: Request, context: ServiceContext): Promise<Response> {
    const found = await this.#served.find(nameIn(new URL(request.url).pathname));
    if (!found) throw new RelayError("NOT_FOUND");
    if (context.refused && found.verifyJwt && request.method !== "OPTIONS") {
      throw tokenError(request, context.refused);
    }
    if (this.#handlers && found.handler)
      return this.#callHandler(this.#handlers, found.name, request, context);
    return (await this.#workers.get()).fetch(found, request, context);
  }

  /** The gateway does what index.ts does on the platform: CORS, and identifying the token's owner. */
  async #callHandler(
    handlers: Handlers,
    name: string,
    request: Request,
    context: ServiceContext,
  ): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request);
    // Stricter than the platform, which runs it: a caller who sends a token believes they are signed in.
    if (context.refused && isWorse(context.refused)) return renderError(context.refused);
    try {
      return withHeaders(await handlers.call(name, request, context), CORS_HEADERS);
    } catch (error) {
      this.#log.error({ err: error, requestId: context.requestId, name }, "function could not be called");
      return refuse(500, "internal_error", "Something went wrong on our side. Please try again.");
    }
  }
}

/** Loaded with the first request for a function that needs one. */
async function openWorkers(deps: FunctionsServiceDeps) {
  const [{ WorkerPool }, { BOUNDS }] = await Promise.all([
    import("./workers/pool.ts"),
    import("./workers/bounds.ts"),
  ]);
  const { project, workers, anonKey, serviceKey, log } = deps;
  const bounds = { ...BOUNDS, ...workers.bounds };
  return new WorkerPool({ ...workers, project, anonKey, serviceKey, log, bounds });
}

/** Whatever follows the name is left to the function. */
const nameIn = (path: string): string => /^(?:\/functions\/v1)?\/+([^/]*)/.exec(path)?.[1] ?? "";

/** A token was sent and not accepted, which is worse than sending none. */
const isWorse = ({ code }: ServiceError): boolean => code !== "no_authorization" && code !== "no_bearer";

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status, headers: CORS_HEADERS });
}

export const renderError = (error: ServiceError): Response =>
  refuse(error.status, codeOf(error), error.message);

/** The functions' code for the status of a refusal by the gateway. */
function codeOf(error: ServiceError): string {
  const byStatus: Record<number, string> = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "body_too_large",
    429: "rate_limited",
  };
  return byStatus[error.status] ?? (error.status >= 500 ? "internal_error" : "invalid_request");
}
