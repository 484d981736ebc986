// The single origin: every request of a browser or a client enters here. Owns the routing (the site's pages, a service behind
// its door, a page or API of our own), /health and upgrades; the doors own keys, limits and headers.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServiceContext } from "../platform/http/context.ts";
import { departureOf } from "../platform/http/departure.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Tokens } from "../platform/keys/jwt.ts";
import type { Log } from "../platform/log.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import { pipedBodyOf } from "../platform/http/piped-body.ts";
import type { ClientAddress } from "./requests/client-address.ts";
import { Bodies, unstorable } from "./requests/bodies.ts";
import { preflight } from "../platform/http/cors.ts";
import { whole } from "./requests/forward.ts";
import { type ApiKeys, identify } from "./caller.ts";
import { asText } from "./requests/body-kinds.ts";
import { withPlainPath } from "./requests/plain-path.ts";
import { createRefusals, type Refusals } from "../platform/refusals.ts";
import { sharedFor } from "../platform/shared-for.ts";
import { departed } from "../postgres/connections/turns.ts";
import { withHeaders } from "../platform/http/response-headers.ts";
import { type Headers, PRIVATE, securityHeaders } from "./security-headers.ts";
import {
  type Answered,
  type RequestSource,
  FORM,
  type GatewayService,
  RETRY_SOON,
  ServiceDoors,
} from "./service-doors.ts";
import { methodNotAllowed, refuseUnreadable } from "./requests/unreadable.ts";

const BODIES_IN_ALL = 64 * 1024 * 1024;
const HEALTH_EVERY_MS = 1_000;
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const [BAD_REQUEST, NOT_READY] = ["Bad Request", "Service Unavailable"].map((message) =>
  JSON.stringify({ message }),
);

export interface SocketService extends GatewayService {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: ServiceContext): void;
}

/** Pages and files, with their own headers. */
export interface Site {
  /** Answers, or returns false where the path is none of its own. Throws when a file cannot be read. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean | Promise<boolean>;
}

export interface GatewayDeps {
  readonly services: {
    readonly auth: GatewayService;
    readonly rest: GatewayService;
    readonly storage: GatewayService;
    readonly functions: GatewayService;
    readonly realtime: SocketService;
  };
  /** Pages and APIs beside Supabase's, by path prefix, such as the mailbox. They authenticate their callers themselves. */
  readonly pages: Readonly<
    Record<string, { fetch(request: Request, source: RequestSource): Promise<Response> }>
  >;
  readonly tokens: Tokens;
  readonly keys: ApiKeys;
  /** Origin the API answers on. */
  readonly apiUrl: string;
  /** Paths on which other services post events of up to 1 MiB, signed instead of sent with a key. */
  readonly eventPaths?: readonly string[] | undefined;
  /** Asked for every other path. */
  readonly site?: Site | undefined;
  /** Whether the address's subdomains are https too. */
  readonly hstsSubdomains?: boolean;
  /** Finds a request's address; see createClientAddress. */
  readonly clientAddress: ClientAddress;
  /** The most bytes of bodies kept in memory at once; 64 MB by default. */
  readonly bodyBytes?: number | undefined;
  /** A path whose answer shows, for /health, that the API answers visitors. */
  readonly probe?: string | undefined;
  /** Whether the data folder and the database accept writes, for /health; assumed when left out. */
  readonly writable?: () => Promise<boolean>;
  readonly log: Log;
}

type Listener = ReturnType<typeof import("@hono/node-server").getRequestListener>;

export const createGateway = (deps: GatewayDeps): Gateway => new Gateway(deps);

class Gateway {
  /** The caller calls its `listen` and `close`. */
  readonly server: Server;
  readonly #deps: GatewayDeps;
  readonly #headers: Headers;
  readonly #bodies: Bodies;
  readonly #refusals: Refusals;
  readonly #doors: ServiceDoors;
  /** Loaded on the first API request, so that a start does not wait for it. */
  readonly #listener = onFirstUse(() => this.#loadListener());
  /** Shared, because anyone may request it and the probe takes a connection reserved for confirmations. */
  readonly #health = sharedFor(HEALTH_EVERY_MS, () => this.#isWell());

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#headers = securityHeaders(deps.apiUrl, deps.hstsSubdomains);
    this.#bodies = new Bodies(deps.bodyBytes ?? BODIES_IN_ALL);
    this.#refusals = createRefusals(deps.log);
    this.#doors = new ServiceDoors({
      ...deps,
      securityHeaders: this.#headers,
      bodies: this.#bodies,
      refusals: this.#refusals,
    });
    this.server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
    this.server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(incoming, socket, head);
    });
    this.server.on("clientError", (error, socket) => refuseUnreadable(error, socket, this.#headers));
  }

  /**
   * Answers an API request without a socket: how functions reach the database services. `visitor` is the address of the
   * stranger it is made for, whose turn for a connection it takes. Without one it takes a connection reserved for the server
   * itself.
   */
  async fetch(request: Request, visitor?: string): Promise<Response> {
    const source = { ip: visitor ?? "127.0.0.1", reserved: visitor === undefined };
    const url = withPlainPath(request.url);
    const plain = url === request.url ? request : new Request(url, request);
    const { response, headers } = await this.#answer(plain, source);
    return withHeaders(response, headers);
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    incoming.url = withPlainPath(incoming.url ?? "/");
    const path = pathOf(incoming.url);
    if (path === undefined || hasTwoHosts(incoming)) {
      outgoing.writeHead(400, { ...this.#headers, ...JSON_TYPE }).end(BAD_REQUEST);
    } else if (incoming.method === "TRACE" || incoming.method === "TRACK") {
      // The Request class refuses these methods, and echoing headers helps nobody.
      const { headers, body } = methodNotAllowed(incoming.method, path);
      outgoing.writeHead(405, { ...this.#headers, ...headers }).end(body);
    } else if (path === "/health") {
      void this.#answerHealth(outgoing);
    } else if (this.#isApi(path)) {
      this.#serveApi(incoming, outgoing);
    } else {
      this.#servePage(incoming, outgoing, path);
    }
  }

  #serveApi(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#listener.get().then(
      (listen) => onceHeard(() => void (departureOf(outgoing).gone || listen(incoming, outgoing))),
      (error: unknown) => {
        this.#refusals.warn("listener", { err: error }, "the API's listener could not be loaded");
        outgoing.writeHead(503, { ...this.#headers, ...JSON_TYPE, ...RETRY_SOON }).end(NOT_READY);
      },
    );
  }

  async #loadListener(): Promise<Listener> {
    const { getRequestListener } = await import("@hono/node-server");
    return getRequestListener(async (request, { incoming, outgoing }) => {
      const { response, headers } = await this.#answer(request, {
        ip: this.#deps.clientAddress(incoming),
        departure: departureOf(outgoing),
      });
      for (const name in headers) outgoing.setHeader(name, headers[name]!);
      const body = pipedBodyOf(response);
      if (!body) return response;
      const reader = outgoing as ServerResponse;
      reader.writeHead(response.status, Object.fromEntries(response.headers));
      body.sendTo(reader);
      return SENT;
    });
  }

  /**
   * Answers pages and their files without the cost of a Request: they are most of what a crowd requests. Errors are caught,
   * because the process may be out of file descriptors, and an exception here would end it.
   */
  #servePage(incoming: IncomingMessage, outgoing: ServerResponse, path: string): void {
    const unreadable = (error: unknown) => {
      this.#refusals.warn("page", { err: error, path }, "a page could not be read");
      outgoing.writeHead(503, { ...this.#headers, ...JSON_TYPE, ...RETRY_SOON, ...PRIVATE }).end(NOT_READY);
    };
    const otherwise = (served: boolean) => {
      if (!served) this.#serveApi(incoming, outgoing);
    };
    try {
      const served = this.#deps.site?.serve(incoming, outgoing, path) ?? false;
      if (typeof served === "boolean") otherwise(served);
      else served.then(otherwise).catch(unreadable);
    } catch (error) {
      unreadable(error);
    }
  }

  async #answer(request: Request, source: RequestSource): Promise<Answered> {
    try {
      const url = new URL(request.url);
      const answered = await this.#doors.fetch(request, url, source);
      return answered ?? (await this.#ownPage(request, url, source));
    } catch (error) {
      if (error instanceof ServiceError) {
        return this.#failure(error.status, error.message);
      }
      if (error instanceof TypeError && !URL.canParse(request.url)) {
        return this.#failure(400, "Bad Request");
      }
      this.#deps.log.error({ err: error }, "unexpected failure in the gateway");
      return this.#failure(500, "An unexpected error occurred");
    }
  }

  #failure(status: number, message: string): Answered {
    return { response: Response.json({ message }, { status }), headers: { ...this.#headers, ...PRIVATE } };
  }

  async #ownPage(request: Request, url: URL, source: RequestSource): Promise<Answered> {
    const page = this.#pageAt(url.pathname);
    if (!page) return this.#failure(404, "no Route matched with those values");
    if (request.method === "OPTIONS") return { response: preflight(request), headers: {} };
    if (request.url.includes("%00")) throw unstorable();
    const taken = await whole(asText)(this.#bodies, request, url, source.ip, FORM);
    try {
      if (source.departure?.gone) throw departed();
      const response = await page.fetch(taken.request, source);
      return { response, headers: { ...this.#headers, ...PRIVATE } };
    } finally {
      taken.release();
    }
  }

  #pageAt(path: string): GatewayDeps["pages"][string] | undefined {
    const { pages } = this.#deps;
    const prefix = Object.keys(pages).find((one) => path === one || path.startsWith(`${one}/`));
    return prefix === undefined ? undefined : pages[prefix];
  }

  #isApi(path: string): boolean {
    return this.#doors.owns(path) || this.#pageAt(path) !== undefined;
  }

  async #answerHealth(outgoing: ServerResponse): Promise<void> {
    const ok = await this.#health();
    const headers = { ...this.#headers, ...PRIVATE, "content-type": "application/json" };
    outgoing.writeHead(ok ? 200 : 503, headers);
    outgoing.end(JSON.stringify({ status: ok ? "ok" : "unavailable" }));
  }

  /** Whether disks accept writes, and the probe gets through the gateway, the REST service and the database. */
  async #isWell(): Promise<boolean> {
    const { apiUrl, keys, probe, writable } = this.#deps;
    const ask = async (path: string) => {
      const request = new Request(apiUrl + path, { headers: { apikey: keys.anon } });
      return (await this.#answer(request, { ip: "127.0.0.1", reserved: true })).response.ok;
    };
    const wells = await Promise.all([probe === undefined || ask(probe), writable?.() ?? true]);
    return wells.every(Boolean);
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { services, keys, tokens, apiUrl, clientAddress, log } = this.#deps;
    socket.on("error", () => socket.destroy());
    try {
      incoming.url = withPlainPath(incoming.url ?? "/");
      const url = URL.parse(incoming.url, apiUrl);
      if (!url || hasTwoHosts(incoming)) throw new ServiceError(400, "bad_request", "Bad Request");
      if (!url.pathname.startsWith("/realtime/v1/")) throw new ServiceError(404, "not_found", "Not Found");
      const caller = await identify(keys, tokens, {
        path: url.pathname,
        // This also accepts the service key, although other doors refuse it in an address: by default realtime-js sends its
        // key here and nowhere else.
        key: url.searchParams.get("apikey") ?? incoming.headers["apikey"]?.toString(),
        authorization: undefined,
      });
      services.realtime.handleUpgrade(incoming, socket, head, {
        requestId: randomUUID(),
        ...caller,
        ip: clientAddress(incoming),
        apiUrl,
      });
    } catch (error) {
      const status = error instanceof ServiceError ? error.status : 500;
      if (status === 500) log.error({ err: error }, "upgrade failed");
      // Nobody reads what else the client sends: without destroy the socket would never close, and a stop would wait for it.
      socket.end(
        `HTTP/1.1 ${status} ${status === 401 ? "Unauthorized" : "Refused"}\r\nconnection: close\r\n\r\n`,
        () => socket.destroy(),
      );
    }
  }
}

/**
 * Calls back once the event loop has polled every socket again. A busy loop reads a request together with earlier data, and
 * only then learns that the client has left. Waiting avoids starting work for it.
 */
const onceHeard = (callback: () => void): void => void setImmediate(() => setImmediate(callback));

/** Signals to Hono's listener that the answer has been sent; its own constant is a kind of Response that would be sent again. */
const SENT = { headers: new Headers({ "x-hono-already-sent": "true" }), body: null } as unknown as Response;

/** RFC 9112, 3.2 refuses it: a proxy could read one of them, and we the other. Not `headersDistinct`, which copies every header. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "host";
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}

function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]!);
  } catch {
    return undefined;
  }
}
