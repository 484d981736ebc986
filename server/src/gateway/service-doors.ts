// Supabase's five services behind their prefixes. Owns who may call (key and token), how large a body may be, and which
// headers every answer gets. A service receives a request that is identified, limited and under its own path.
import { randomUUID } from "node:crypto";
import type { Service, ServiceContext } from "../platform/http/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Claims, Tokens } from "../platform/keys/jwt.ts";
import type { Log } from "../platform/log.ts";
import { type Bodies, unstorable } from "./requests/bodies.ts";
import { CORS_HEADERS, isPreflight, preflight } from "../platform/http/cors.ts";
import { forward, forwardUpload, type Take, wholeOrUnread } from "./requests/forward.ts";
import { type ApiKeys, identify } from "./caller.ts";
import { asJson, functionsRead, realtimeReads, restReads } from "./requests/body-kinds.ts";
import { isRefusal, type Refusals } from "../platform/refusals.ts";
import { departed } from "../postgres/connections/turns.ts";
import { withHeaders } from "../platform/http/response-headers.ts";
import { DATA_POLICY, type Headers, PRIVATE } from "./security-headers.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** Sign-in and anything else a visitor sends: forms. */
export const FORM = 64 * KIB;
/** For a function that reads its body itself. */
const FUNCTION_BODY = 50 * MIB;
/** A stored file of 50 MiB, plus the rest of its form. */
const UPLOAD = 51 * MIB;

/** Asks clients not to send their next request on a connection that is about to close. */
const LAST_ANSWER = { connection: "close" };
export const RETRY_SOON = { "retry-after": "1" };

/** A service that may still have to load. */
export interface GatewayService extends Pick<Service, "fetch" | "takesUnread"> {
  renderError(error: ServiceError): Response | Promise<Response>;
}

export type RequestSource = Pick<ServiceContext, "ip" | "departure" | "reserved">;

/** A service's answer, and the headers to add where it does not have them itself. */
export interface Answered {
  readonly response: Response;
  readonly headers: Headers;
}

interface Door {
  readonly prefix: string;
  readonly service: GatewayService;
  readonly take: Take;
  readonly largest: number;
  /** The service answers preflights itself and decides which origins may read an answer. */
  readonly ownCors?: true;
}

const isReadable = ({ method }: Request, { ok, status }: Response): boolean =>
  method === "GET" && (ok || status === 304);

/** What is known about a request so far. */
interface Found {
  readonly requestId: string;
  isVisitor: boolean;
  claims?: Claims;
}

/** Input that is not accepted, and requests beyond a limit. */
const isRejected = (status: number): boolean =>
  status === 400 || status === 413 || status === 422 || status === 429;

/** PostgREST answers a visitor's 42501 with 401, anyone else's with 403. */
const isDenied = (status: number): boolean => status === 401 || status === 403;

export interface ServiceDoorsDeps {
  readonly services: Readonly<Record<"rest" | "auth" | "functions" | "storage" | "realtime", GatewayService>>;
  readonly tokens: Tokens;
  readonly keys: ApiKeys;
  readonly apiUrl: string;
  /** Paths on which other services post events of up to 1 MiB, signed instead of sent with a key. */
  readonly eventPaths?: readonly string[] | undefined;
  readonly securityHeaders: Headers;
  readonly bodies: Bodies;
  readonly refusals: Refusals;
  readonly log: Log;
}

export class ServiceDoors {
  readonly #deps: ServiceDoorsDeps;
  readonly #headers: Headers;
  readonly #headersWithoutCors: Headers;
  readonly #doors: readonly Door[];

  constructor(deps: ServiceDoorsDeps) {
    const { rest, auth, functions, storage, realtime } = deps.services;
    this.#deps = deps;
    this.#headersWithoutCors = { ...deps.securityHeaders, ...DATA_POLICY };
    this.#headers = { ...CORS_HEADERS, ...this.#headersWithoutCors };
    this.#doors = [
      { prefix: "/rest/v1", service: rest, take: forward(restReads), largest: MIB },
      { prefix: "/auth/v1", service: auth, take: forward(asJson), largest: FORM },
      // Passing the request itself instead of a copy saves a seventh of this process's time for a function's call.
      {
        prefix: "/functions/v1",
        service: functions,
        take: wholeOrUnread(functions, functionsRead, FUNCTION_BODY),
        largest: FORM,
        ownCors: true,
      },
      { prefix: "/storage/v1", service: storage, take: forwardUpload(UPLOAD), largest: MIB },
      { prefix: "/realtime/v1", service: realtime, take: forward(realtimeReads), largest: MIB },
    ];
  }

  /** Whether the path lies behind a door. */
  owns(path: string): boolean {
    return this.#behind(path) !== undefined;
  }

  /** Undefined if no door has the path. A caller's mistake never rejects: the service renders it as an answer. */
  async fetch(request: Request, url: URL, source: RequestSource): Promise<Answered | undefined> {
    const door = this.#behind(url.pathname);
    if (!door) return undefined;
    if (request.method === "OPTIONS" && !door.ownCors && !asksService(request, url))
      return { response: preflight(request), headers: {} };
    const context: Found = { requestId: randomUUID(), isVisitor: false };
    let response: Response;
    try {
      response = await this.#call(door, request, url, source, context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      response = await door.service.renderError(error);
      if (error.status === 503 || error.status === 429) response = withHeaders(response, RETRY_SOON);
    }
    const { requestId, isVisitor } = context;
    if (response.status >= 500) this.#logFailure(door, request, url, response.status, source.ip, context);
    if (isDenied(response.status) && context.claims) this.#logDenial(request, url, response.status, context);
    if (isRejected(response.status))
      this.#logRejection(door, request, url, response.status, source.ip, context);
    // Caches may keep what anyone may read with the public key; everything else is for its caller alone.
    const isPublic = door.prefix === "/rest/v1" && isVisitor && isReadable(request, response);
    const headers = {
      ...(door.ownCors ? this.#headersWithoutCors : this.#headers),
      ...(isPublic ? {} : PRIVATE),
      "x-request-id": requestId,
    };
    return { response, headers };
  }

  /** Stores in `found` what refusals need too. Throws ServiceError. */
  async #call(
    { prefix, service, take, largest }: Door,
    request: Request,
    url: URL,
    source: RequestSource,
    found: Found,
  ): Promise<Response> {
    const { keys, tokens, bodies, apiUrl } = this.#deps;
    this.#requireNoServiceKey(url);
    const began = performance.now();
    const caller = await identify(keys, tokens, {
      method: request.method,
      path: url.pathname,
      key: request.headers.get("apikey") ?? url.searchParams.get("apikey") ?? undefined,
      authorization: request.headers.get("authorization") ?? undefined,
    });
    const identifiedMs = performance.now() - began;
    if (!caller.refused) found.claims = caller.claims;
    found.isVisitor = caller.claims.role === "anon";
    if (request.url.includes("%00")) throw unstorable();
    url.pathname = url.pathname.slice(prefix.length) || "/";
    // Only if present, because deleting rewrites the whole query.
    if (url.searchParams.has("apikey")) url.searchParams.delete("apikey");
    const isEvent = this.#deps.eventPaths?.includes(prefix + url.pathname) ?? false;
    const limit = isEvent ? MIB : found.isVisitor ? FORM : largest;
    const taken = await take(bodies, request, url, source.ip, limit);
    try {
      if (source.departure?.gone) throw departed();
      const context = { requestId: found.requestId, ...caller, identifiedMs, ...source, apiUrl };
      const response = await service.fetch(taken.request, context);
      return taken.flows && !response.ok ? withHeaders(response, LAST_ANSWER) : response;
    } finally {
      taken.release();
    }
  }

  #behind(path: string): Door | undefined {
    return this.#doors.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  }

  /** An address ends up in logs, histories and Referer headers. */
  #requireNoServiceKey({ searchParams }: URL): void {
    if (searchParams.get("apikey") !== this.#deps.keys.service) return;
    throw new ServiceError(401, "invalid_api_key", "Invalid API key", {
      extra: { hint: "The service key does not belong in an address: send it in the `apikey` header." },
    });
  }

  /** Logs identified callers who lack permission. A forged or expired token identifies nobody and is not logged here. */
  #logDenial({ method }: Request, url: URL, status: number, { requestId, claims }: Found): void {
    const caller = { role: claims?.role, id: claims?.sub };
    const fields = { requestId, method, path: url.pathname, status, caller };
    this.#deps.refusals.note(`denied ${status}`, fields, "access denied");
  }

  /** A stranger who tries what a rule forbids looks like someone who mistypes, so both are logged, and neither with what was sent. */
  #logRejection(door: Door, { method }: Request, url: URL, status: number, ip: string, found: Found): void {
    const { requestId, claims } = found;
    const caller = { role: claims?.role, id: claims?.sub };
    const fields = { requestId, method, path: url.pathname, status, ip, caller };
    this.#deps.refusals.note(`rejected ${status} ${door.prefix}`, fields, "request rejected");
  }

  /** The caller too: whoever asks about it has only an account and a time to give. */
  #logFailure(door: Door, { method }: Request, url: URL, status: number, ip: string, found: Found): void {
    const { requestId, claims } = found;
    const caller = { role: claims?.role, id: claims?.sub };
    const fields = { requestId, method, path: url.pathname, status, ip, caller };
    if (isRefusal(status)) this.#deps.refusals.warn(`${status} ${door.prefix}`, fields, "refused");
    else this.#deps.log.error(fields, "failed");
  }
}

/**
 * OPTIONS on these paths: PostgREST and TUS describe themselves what an address accepts. The gateway answers only a browser's
 * preflight.
 */
const asksService = (request: Request, { pathname }: URL): boolean =>
  (pathname.startsWith("/rest/v1") || pathname.startsWith("/storage/v1/upload/resumable")) &&
  !isPreflight(request);
