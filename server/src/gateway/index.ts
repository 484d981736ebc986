// The one origin: everything a browser or a client asks enters here. Owns prefixes, keys, CORS, limits, request ids and the
// static site; hides them from the services, which see a request that is identified and small enough.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Service, ServiceContext } from "../platform/context.ts";
import { departureOf } from "../platform/departure.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Tokens } from "../platform/jwt.ts";
import type { Log } from "../platform/log.ts";
import type { ClientAddress } from "./client-address.ts";
import { createBodies, unstorable } from "./bodies.ts";
import { CORS_HEADERS, preflight } from "./cors.ts";
import { forward, forwardUpload, whole } from "./forward.ts";
import { type ApiKeys, identify } from "./identity.ts";
import { PRIVATE, securityHeaders } from "./security-headers.ts";
import { createStaticSite, type StaticSiteOptions } from "./static-site.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** Sign-in, orders and whatever a visitor sends: forms, and batches of visits. A payment provider's events are larger. */
const FORM = 64 * KIB;
const UPLOAD = 51 * MIB;
const BODIES_IN_ALL = 64 * MIB;

/** A service that may have to be loaded first. */
export interface GatewayService extends Pick<Service, "fetch"> {
  renderError(error: ServiceError): Response | Promise<Response>;
}

export interface SocketService extends GatewayService {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: ServiceContext): void;
}

export interface GatewayDeps {
  readonly services: {
    readonly auth: GatewayService;
    readonly rest: GatewayService;
    readonly storage: GatewayService;
    readonly functions: GatewayService;
    readonly realtime: SocketService;
  };
  /** Own pages and APIs beside Supabase's, by path prefix: mailbox, payments sandbox. They check their callers themselves. */
  readonly pages: Readonly<Record<string, { fetch(request: Request, caller: Caller): Promise<Response> }>>;
  readonly tokens: Tokens;
  readonly keys: ApiKeys;
  /** Origin the API answers on. */
  readonly apiUrl: string;
  readonly site: StaticSiteOptions;
  /** Of a request: createClientAddress. */
  readonly clientAddress: ClientAddress;
  /** The most bytes of bodies kept in memory at once; 64 MB when left out. */
  readonly bodyBytes?: number | undefined;
  readonly log: Log;
}

export interface Gateway {
  /** The server it listens with; `listen` and `close` are the caller's. */
  readonly server: Server;
  /** Answers an API request without a socket: how functions reach the database services. */
  fetch(request: Request, ip: string): Promise<Response>;
}

/** Said, so that no client sends its next request on a connection that ends. */
const LAST_ANSWER = { connection: "close" };
const RETRY_SOON = { "retry-after": "1" };

type Caller = Pick<ServiceContext, "ip" | "departure" | "kept">;

export function createGateway(deps: GatewayDeps): Gateway {
  const { services, log } = deps;
  const site = createStaticSite(deps.site);
  const headers = securityHeaders(deps.apiUrl);
  const apiHeaders = { ...CORS_HEADERS, ...headers };
  const bodies = createBodies(deps.bodyBytes ?? BODIES_IN_ALL);
  const mounts = Object.entries({
    "/rest/v1": { service: services.rest, take: forward, largest: MIB },
    "/auth/v1": { service: services.auth, take: forward, largest: FORM },
    // Handing on the request itself, not a copy, saves an order a seventh of this process's time.
    "/functions/v1": { service: services.functions, take: whole, largest: FORM },
    "/storage/v1": { service: services.storage, take: forwardUpload(UPLOAD), largest: MIB },
    "/realtime/v1": { service: services.realtime, take: forward, largest: MIB },
  });

  async function callService(request: Request, url: URL, caller: Caller): Promise<Response | undefined> {
    const mount = mounts.find(([prefix]) => url.pathname.startsWith(`${prefix}/`) || url.pathname === prefix);
    if (!mount) return undefined;
    const [prefix, { service, take, largest }] = mount;
    if (request.method === "OPTIONS") return preflight(request);
    const requestId = randomUUID();
    let response: Response;
    let isVisitor = false;
    try {
      requireNoServiceKey(url);
      const identity = await identify(deps.keys, deps.tokens, {
        path: url.pathname,
        key: request.headers.get("apikey") ?? url.searchParams.get("apikey") ?? undefined,
        authorization: request.headers.get("authorization") ?? undefined,
      });
      isVisitor = identity.claims.role === "anon";
      if (request.url.includes("%00")) throw unstorable();
      url.pathname = url.pathname.slice(prefix.length) || "/";
      url.searchParams.delete("apikey");
      const limit = isEvent(prefix, url) ? MIB : isVisitor ? FORM : largest;
      const taken = await take(bodies, request, url, caller.ip, limit);
      try {
        const context = { requestId, ...identity, ...caller, apiUrl: deps.apiUrl };
        response = await service.fetch(taken.request, context);
        if (taken.flows && !response.ok) response = withHeaders(response, LAST_ANSWER);
      } finally {
        taken.release();
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      response = await service.renderError(error);
      if (error.status === 503 || error.status === 429) response = withHeaders(response, RETRY_SOON);
    }
    if (response.status >= 500) {
      log.error({ requestId, method: request.method, path: url.pathname, status: response.status }, "failed");
    }
    // What anybody may read with the public key may be kept; anything else is its caller's alone.
    const isPublic = prefix === "/rest/v1" && isVisitor && request.method === "GET" && response.ok;
    return withHeaders(response, { ...apiHeaders, ...(isPublic ? {} : PRIVATE), "x-request-id": requestId });
  }

  /** Addresses are kept in logs, histories and Referer headers. */
  function requireNoServiceKey({ searchParams }: URL): void {
    if (searchParams.get("apikey") !== deps.keys.service) return;
    throw new ServiceError(401, "invalid_api_key", "Invalid API key", {
      extra: { hint: "The service key does not belong in an address: send it in the `apikey` header." },
    });
  }

  async function answer(request: Request, caller: Caller): Promise<Response> {
    try {
      const url = new URL(request.url);
      const answered = await callService(request, url, caller);
      if (answered) return answered;
      const page = Object.entries(deps.pages).find(
        ([prefix]) => url.pathname === prefix || url.pathname.startsWith(`${prefix}/`),
      )?.[1];
      if (!page) return Response.json({ message: "no Route matched with those values" }, { status: 404 });
      if (request.method === "OPTIONS") return preflight(request);
      if (request.url.includes("%00")) throw unstorable();
      const taken = await whole(bodies, request, url, caller.ip, FORM);
      try {
        return withHeaders(await page.fetch(taken.request, caller), { ...headers, ...PRIVATE });
      } finally {
        taken.release();
      }
    } catch (error) {
      if (error instanceof ServiceError) {
        return Response.json({ message: error.message }, { status: error.status });
      }
      if (error instanceof TypeError && !URL.canParse(request.url))
        return new Response(null, { status: 400 });
      log.error({ err: error }, "unexpected failure in the gateway");
      return Response.json({ message: "An unexpected error occurred" }, { status: 500 });
    }
  }

  // Loaded with the first API request: a start does not wait for it.
  let listener: Promise<ReturnType<typeof import("@hono/node-server").getRequestListener>> | undefined;
  const makeListener = async () => {
    const { getRequestListener } = await import("@hono/node-server");
    return getRequestListener((request, { incoming, outgoing }) =>
      answer(request, {
        ip: deps.clientAddress(incoming),
        departure: departureOf(outgoing),
      }),
    );
  };
  const server = createServer((incoming, outgoing) => {
    // Pages and their files answer without the cost of a Request: they are most of what a crowd asks for.
    const path = pathOf(incoming.url);
    if (path === undefined) {
      outgoing.writeHead(400).end();
      return;
    }
    // A Request cannot be made of it, and what it would tell is nobody's to see.
    if (incoming.method === "TRACE" || incoming.method === "TRACK") {
      outgoing.writeHead(405, { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }).end();
      return;
    }
    const api = mounts.some(([prefix]) => path.startsWith(`${prefix}/`)) || isPage(deps.pages, path);
    if (path === "/health") {
      void health(outgoing);
    } else if (api || !servePage(incoming, outgoing, path)) {
      (listener ??= makeListener()).then(
        (listen) => listen(incoming, outgoing),
        (error: unknown) => {
          listener = undefined; // the next request tries again
          log.error({ err: error }, "the API's listener could not be loaded");
          outgoing.writeHead(503, RETRY_SOON).end();
        },
      );
    }
  });

  /** A crowd may have taken every file the process may open: what is thrown here would end it. */
  function servePage(incoming: IncomingMessage, outgoing: ServerResponse, path: string): boolean {
    try {
      return site.serve(incoming, outgoing, path);
    } catch (error) {
      log.error({ err: error, path }, "a page could not be read");
      outgoing.writeHead(503, { ...RETRY_SOON, "cache-control": "no-store" }).end();
      return true;
    }
  }

  /** 200 only when a query gets through the gateway, the REST service and the database. */
  async function health(outgoing: ServerResponse): Promise<void> {
    const probe = new Request(`${deps.apiUrl}/rest/v1/ticket_types?select=id&limit=1`, {
      headers: { apikey: deps.keys.anon },
    });
    const { ok } = await answer(probe, { ip: "127.0.0.1", kept: true });
    outgoing.writeHead(ok ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" });
    outgoing.end(JSON.stringify({ status: ok ? "ok" : "unavailable" }));
  }

  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    void upgrade(incoming, socket, head);
  });

  async function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    try {
      const url = URL.parse(incoming.url ?? "/", deps.apiUrl);
      if (!url) throw new ServiceError(400, "bad_request", "Bad Request");
      if (!url.pathname.startsWith("/realtime/v1/")) throw new ServiceError(404, "not_found", "Not Found");
      const identity = await identify(deps.keys, deps.tokens, {
        path: url.pathname,
        key: url.searchParams.get("apikey") ?? incoming.headers["apikey"]?.toString(),
        authorization: undefined,
      });
      services.realtime.handleUpgrade(incoming, socket, head, {
        requestId: randomUUID(),
        ...identity,
        ip: deps.clientAddress(incoming),
        apiUrl: deps.apiUrl,
      });
    } catch (error) {
      const status = error instanceof ServiceError ? error.status : 500;
      if (status === 500) log.error({ err: error }, "upgrade failed");
      socket.end(
        `HTTP/1.1 ${status} ${status === 401 ? "Unauthorized" : "Refused"}\r\nconnection: close\r\n\r\n`,
      );
    }
  }

  return { server, fetch: (request, ip) => answer(request, { ip, kept: true }) };
}

/** Of the payment provider, which sends no key: signed, and as large as what it tells of. */
const isEvent = (prefix: string, { pathname }: URL): boolean =>
  prefix === "/functions/v1" && pathname === "/stripe-webhook";

function isPage(pages: GatewayDeps["pages"], path: string): boolean {
  return Object.keys(pages).some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

function pathOf(url: string | undefined): string | undefined {
  try {
    return decodeURIComponent((url ?? "/").split(/[?#]/, 1)[0]!);
  } catch {
    return undefined;
  }
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  try {
    return add(response, headers);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // A redirect's headers, and those of an answer from elsewhere, cannot be changed. Asking for `type` beforehand would
    // make a whole Response of every answer.
    return add(new Response(response.body, response), headers);
  }
}

function add(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const name in headers) {
    if (!response.headers.has(name)) response.headers.set(name, headers[name]!);
  }
  return response;
}
