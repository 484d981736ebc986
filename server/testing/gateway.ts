// The gateway over a real socket, with services that report what reached them: `const { ask } = await openGateway()` at the top of a
// test file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { BUILT_ORIGIN } from "contract/built-origin";
import { createClientAddress } from "../src/gateway/requests/client-address.ts";
import { createGateway, type SocketService } from "../src/gateway/index.ts";
import { trustedOrigins } from "../../shop/src/site/trusted-origins.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createTokens } from "../src/platform/keys/jwt.ts";

const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><script>start()</script></body></html>`;

const SITE = {
  "index.html": page("Home"),
  "about/index.html": page("About"),
  "auth/index.html": page("Sign in"),
  "tickets/index.html": `<html><head></head><body><script type="application/ld+json">{"offers":[]}</script><ul data-offers="" class="list"></ul></body></html>`,
  "sitemap.xml": `<loc>${BUILT_ORIGIN}/tickets</loc>`,
  "__spa-fallback.html": page("Fallback"),
  "assets/app-abc.js": "start();".repeat(200),
  "assets/gone-abc.js": "gone()",
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

/** Closed after the file's last test. */
export async function openGateway() {
  const directory = mkdtempSync(join(tmpdir(), "festival-site-"));
  for (const [file, text] of Object.entries(SITE)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
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
    site: {
      directory,
      meta: {
        "supabase-anon-key": keys.anon,
        "canonical-url": "https://festival.example",
        "alternate-hosts": "www.festival.example,old.example:8080",
      },
      siteUrl: () => "https://festival.example",
      offers: async () => [
        { name: "VIP <gold>", price: { cents: 150_00, withFee: 150_00 }, state: "open", parking: false },
      ],
      published: { read: async () => ({}), listen: () => {}, render: async () => new Map(), log },
      trustedOrigins: trustedOrigins({}),
    },
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
    rmSync(directory, { recursive: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ deps, gateway, server, origin, directory, tokens, keys, lines, disk, reached },
    ask: (path: string, init: RequestInit = {}) => fetch(origin + path, { redirect: "manual", ...init }),
    withKey: (headers: Record<string, string> = {}) => ({ headers: { apikey: keys.anon, ...headers } }),
  };
}
