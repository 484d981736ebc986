// The gateway over a real socket, with services that report what reached them: `const { ask } = await openGateway()` at the top of a
// test file.
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";
import type { ApiKeys } from "../src/gateway/caller.ts";
import { createClientAddress } from "../src/gateway/requests/client-address.ts";
import { createGateway, type Site, type SocketService } from "../src/gateway/index.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createTokens } from "../src/platform/keys/jwt.ts";
import type { Log } from "../src/platform/log.ts";

/** Two pages, and an answer to every path that could be one. */
const SITE: Site = {
  serve(_request, response, path) {
    if (/\.\w+$/.test(path)) return false;
    const status = ["/", "/about"].includes(path) ? 200 : 404;
    response.writeHead(status, { "content-type": "text/html" }).end("<title>A page</title>");
    return true;
  },
};

export const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Answers with the request it received, in JSON, and notes its path. */
const echo = (name: string, reached: string[]): SocketService => ({
  async fetch(request, { claims, token, ip }) {
    const { pathname: path, search: query } = new URL(request.url);
    reached.push(path);
    const failing = /\/fails-(\d+)$/.exec(path);
    if (failing) return new Response("broken", { status: Number(failing[1]) });
    return Response.json({
      ...{ name, path, query, claims, token, ip },
      body: await request.text(),
      forwardedFor: request.headers.get("x-forwarded-for"),
      connecting: request.headers.get("cf-connecting-ip"),
    });
  },
  renderError: (error) => Response.json({ service: name, code: error.code }, { status: error.status }),
  handleUpgrade: (_request, socket) => {
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  },
});

/** What a site needs to be made. */
export interface SiteParts {
  readonly keys: ApiKeys;
  readonly log: Log;
}

/** Closed after the file's last test. */
export async function openGateway(siteOf: (parts: SiteParts) => Site = () => SITE) {
  const tokens = createTokens("a secret of at least thirty-two characters", systemClock);
  const keys = { anon: tokens.sign({ role: "anon" }), service: tokens.sign({ role: "service_role" }) };
  const lines: unknown[] = [];
  const line = (level: string) => (fields: object, message: string) => lines.push([level, message, fields]);
  const log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  const disk = { hasRoom: true, looks: 0 };
  /** The paths that reached a service. */
  const reached: string[] = [];
  const deps: Parameters<typeof createGateway>[0] = {
    services: {
      auth: echo("auth", reached),
      rest: echo("rest", reached),
      storage: echo("storage", reached),
      functions: echo("functions", reached),
      realtime: echo("realtime", reached),
    },
    pages: { "/mailbox": { fetch: async (request) => new Response(new URL(request.url).pathname) } },
    ...{ tokens, keys, log, apiUrl: "http://localhost", clientAddress: createClientAddress([]) },
    site: siteOf({ keys, log }),
    probe: "/rest/v1/anything",
    eventPaths: ["/functions/v1/stripe-webhook"],
    writable: async () => {
      disk.looks++;
      return disk.hasRoom;
    },
  };
  const gateway = createGateway(deps);
  const { server } = gateway;
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ deps, gateway, server, origin, tokens, keys, lines, disk, reached },
    ask: (path: string, init: RequestInit = {}) => fetch(origin + path, { redirect: "manual", ...init }),
    withKey: (headers: Record<string, string> = {}) => ({ headers: { apikey: keys.anon, ...headers } }),
  };
}
