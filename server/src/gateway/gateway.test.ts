// The gateway over a real socket, with services that report what reached them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { type Claims, createTokens } from "../platform/jwt.ts";
import { BUILT_ORIGIN } from "contract/built-origin";
import { createClientAddress } from "./client-address.ts";
import { createGateway, type SocketService } from "./index.ts";
import type { Offer } from "./offers.ts";
import { trustedOrigins } from "./trusted-origins.ts";

const tokens = createTokens("a secret of at least thirty-two characters", systemClock);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Answers with the request it received, in JSON. */
const echo = (name: string): SocketService => ({
  async fetch(request, { claims, token, ip }) {
    reached.push(new URL(request.url).pathname);
    const failing = /\/fails-(\d+)$/.exec(new URL(request.url).pathname);
    if (failing) return new Response("broken", { status: Number(failing[1]) });
    return Response.json({
      name,
      path: new URL(request.url).pathname,
      query: new URL(request.url).search,
      body: await request.text(),
      forwardedFor: request.headers.get("x-forwarded-for"),
      connecting: request.headers.get("cf-connecting-ip"),
      claims,
      token,
      ip,
    });
  },
  renderError: (error) => Response.json({ service: name, code: error.code }, { status: error.status }),
  handleUpgrade: (_request, socket) => {
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  },
});

const offers: Offer[] = [{ name: "VIP <gold>", price: 150, state: "open", parking: false }];
const lines: unknown[] = [];
const line = (level: string) => (fields: object, message: string) => lines.push([level, message, fields]);
const log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
let diskHasRoom = true;
let looks = 0;
const reached: string[] = [];
let deps: Parameters<typeof createGateway>[0];
let gateway: ReturnType<typeof createGateway>;
let server: Server;
let directory: string;
let origin: string;
let keys: { anon: string; service: string };
let close: () => Promise<void>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "festival-site-"));
  mkdirSync(join(directory, "about"));
  mkdirSync(join(directory, "assets"));
  const page = (title: string) =>
    `<html><head><title>${title}</title></head><body><script>start()</script></body></html>`;
  writeFileSync(join(directory, "index.html"), page("Home"));
  writeFileSync(join(directory, "about/index.html"), page("About"));
  mkdirSync(join(directory, "auth"));
  writeFileSync(join(directory, "auth/index.html"), page("Sign in"));
  mkdirSync(join(directory, "tickets"));
  writeFileSync(
    join(directory, "tickets/index.html"),
    `<html><head></head><body><script type="application/ld+json">{"offers":[]}</script><ul data-offers="" class="list"></ul></body></html>`,
  );
  writeFileSync(join(directory, "sitemap.xml"), `<loc>${BUILT_ORIGIN}/tickets</loc>`);
  writeFileSync(join(directory, "__spa-fallback.html"), page("Fallback"));
  writeFileSync(join(directory, "assets/app-abc.js"), "start();".repeat(200));
  writeFileSync(join(directory, "assets/gone-abc.js"), "gone()");
  keys = {
    anon: tokens.sign({ role: "anon" }),
    service: tokens.sign({ role: "service_role" }),
  };
  const services = {
    auth: echo("auth"),
    rest: echo("rest"),
    storage: echo("storage"),
    functions: echo("functions"),
    realtime: echo("realtime"),
  };
  const mailbox = {
    fetch: async (request: Request) => new Response(new URL(request.url).pathname),
  };
  const site = {
    directory,
    meta: { "supabase-anon-key": keys.anon },
    siteUrl: () => "https://festival.example",
    offers: async () => offers,
    published: { read: async () => ({}), listen: () => {}, render: async () => new Map(), log },
    trustedOrigins: trustedOrigins({}),
  };
  deps = {
    services,
    pages: { "/mailbox": mailbox },
    tokens,
    keys,
    apiUrl: "http://localhost",
    site,
    clientAddress: createClientAddress([]),
    writable: async () => {
      looks++;
      return diskHasRoom;
    },
    log,
  };
  gateway = createGateway(deps);
  server = gateway.server;
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    rmSync(directory, { recursive: true });
  };
});
afterAll(() => close());

const ask = (path: string, init: RequestInit = {}) => fetch(origin + path, { redirect: "manual", ...init });
const withKey = (headers: Record<string, string> = {}) => ({ headers: { apikey: keys.anon, ...headers } });

describe("the door", () => {
  it("refuses a call without a key, and one with a wrong key, in the service's own words", async () => {
    const without = await ask("/rest/v1/ticket_types");
    expect(without.status).toBe(401);
    expect(await without.json()).toEqual({ service: "rest", code: "no_api_key" });
    const wrong = await ask("/auth/v1/token", { headers: { apikey: "wrong" } });
    expect(await wrong.json()).toEqual({ service: "auth", code: "invalid_api_key" });
  });

  it("admits links, pictures and webhooks without a key, as a visitor", async () => {
    for (const path of [
      "/auth/v1/verify?token=x",
      "/storage/v1/object/public/a/b",
      "/functions/v1/stripe-webhook",
    ]) {
      const answer = await ask(path);
      expect(answer.status).toBe(200);
      expect(((await answer.json()) as { claims: { role: string } }).claims.role).toBe("anon");
    }
  });

  it("ignores the token for public objects and signed addresses", async () => {
    const headers = { authorization: "Bearer old" };
    const open = ["object/public/a/b", "object/sign/a/b?token=x", "render/image/sign/a/b?token=x", "status"];
    for (const path of open) expect((await ask(`/storage/v1/${path}`, { headers })).status).toBe(200);
    const closed = [
      "object/a/b",
      "object/authenticated/a/b",
      "render/image/authenticated/a/b",
      "object/list/a",
    ];
    for (const path of closed) expect((await ask(`/storage/v1/${path}`, { headers })).status).toBe(401);
    expect((await ask("/storage/v1/object/sign/a/b", { method: "POST", headers })).status).toBe(401);
  });

  it("ignores the token of an upload to a signed address, and checks that of every other upload", async () => {
    const expired = tokens.sign({ role: "authenticated", sub: "a-buyer", exp: 1000 });
    const upload = async (method: string, path: string) => {
      const body = method === "HEAD" ? null : "x";
      const headers = { authorization: `Bearer ${expired}` };
      const answer = await ask(`/storage/v1/${path}`, { method, body, headers });
      const text = await answer.text();
      return [answer.status, text && (JSON.parse(text) as { claims?: Claims }).claims];
    };
    const visitor = { role: "anon" };
    expect(await upload("PUT", "object/upload/sign/a/b?token=x")).toEqual([200, visitor]);
    for (const method of ["POST", "PATCH", "DELETE"])
      expect(await upload(method, "upload/resumable/sign/id")).toEqual([200, visitor]);
    expect(await upload("POST", "upload/resumable/sign")).toEqual([200, visitor]);
    expect(await upload("HEAD", "upload/resumable/sign/id")).toEqual([200, ""]);
    const closed = [
      ["POST", "object/upload/sign/a/b"],
      ["PUT", "object/upload/sign"],
      ["PUT", "object/upload/signed"],
      ["PUT", "object/a/upload/sign/b"],
      ["POST", "upload/resumable"],
      ["PATCH", "upload/resumable/signed"],
    ] as const;
    for (const [method, path] of closed) expect([path, (await upload(method, path))[0]]).toEqual([path, 401]);
  });

  it("answers a browser's preflight itself, and lets a client query resumable uploads' capabilities", async () => {
    const options = (headers = {}) => ask("/storage/v1/upload/resumable", { method: "OPTIONS", headers });
    expect((await options({ "access-control-request-method": "POST" })).status).toBe(204);
    expect(await (await options()).json()).toMatchObject({ name: "storage", path: "/upload/resumable" });
  });

  it("passes the service its own path, the caller's claims and an address the caller cannot choose", async () => {
    const token = tokens.sign({ role: "authenticated", sub: "a-buyer", exp: inAnHour() });
    const answer = await ask(
      "/rest/v1/orders?select=id&apikey=" + keys.anon,
      withKey({
        authorization: `Bearer ${token}`,
        "x-forwarded-for": "6.6.6.6",
        "cf-connecting-ip": "6.6.6.6",
      }),
    );
    expect(await answer.json()).toMatchObject({
      name: "rest",
      path: "/orders",
      query: "?select=id",
      claims: { role: "authenticated", sub: "a-buyer" },
      token,
      ip: "127.0.0.1",
      forwardedFor: "127.0.0.1",
      connecting: null,
    });
  });

  it.each([
    ["/storage/v1/object/%6c%69st/a%2Fb", "/object/list/a%2Fb"],
    ["/%72est/v1/a%7Eb?name=eq.%61", "/a~b"],
    ["/functions%2Fv1/a", undefined],
    ["/storage/v1/object/%256cist/a", "/object/%256cist/a"],
  ])("passes one spelling of a path, however letters in it are encoded: %s", async (path, received) => {
    const call = { headers: { apikey: keys.anon } };
    const overSocket = await ask(path, call);
    const inProcess = await gateway.fetch(new Request(origin + path, call));
    for (const answer of [overSocket, inProcess])
      expect(((await answer.json()) as { path?: string }).path).toBe(received);
  });

  it("opens a signed address whose path encodes letters, and finds an upgrade's service", async () => {
    const [options, bad] = [{ method: "PUT", body: "x" }, { authorization: "Bearer expired" }];
    const upload = await ask("/storage/v1/object/upload/%73ign/a/b", { ...options, headers: bad });
    expect(upload.status).toBe(200);
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    const head = `GET /realtim%65/v1/websocket?apikey=${keys.anon} HTTP/1.1\r\nhost: a\r\n`;
    socket.write(`${head}connection: upgrade\r\nupgrade: websocket\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain("HTTP/1.1 101");
    socket.destroy();
  });

  it("refuses an expired token, a forged one, and one that names a database role", async () => {
    const expired = tokens.sign({ role: "authenticated", exp: 1000 });
    const forged = createTokens("another secret of thirty-two characters", systemClock).sign({
      role: "service_role",
      exp: inAnHour(),
    });
    const owner = tokens.sign({ role: "postgres", exp: inAnHour() });
    const codes: unknown[] = [];
    for (const token of [expired, forged, owner, "nonsense"]) {
      const answer = await ask("/realtime/v1/api/broadcast", withKey({ authorization: `Bearer ${token}` }));
      expect(answer.status).toBe(401);
      codes.push(((await answer.json()) as { code: string }).code);
    }
    expect(codes).toEqual(["token_expired", "invalid_token", "invalid_token", "invalid_token"]);
  });

  it.each(["/auth/v1/admin/users", "/rest/v1/orders", "/rest/v1"])(
    "passes %s a token of any role: auth's settings name the administrative ones, and the database grants REST its roles",
    async (path) => {
      const token = tokens.sign({ role: "box_office", exp: inAnHour() });
      const answer = await ask(path, withKey({ authorization: `Bearer ${token}` }));
      expect(await answer.json()).toMatchObject({ claims: { role: "box_office" } });
    },
  );

  it("treats a valid token without a role as a visitor's, as the platform's services do", async () => {
    const nameless = tokens.sign({ sub: "somebody", exp: inAnHour() } as unknown as Claims);
    const answer = await ask("/rest/v1/orders", withKey({ authorization: `Bearer ${nameless}` }));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ claims: { role: "anon", sub: "somebody" } });
  });

  it("passes the service an OPTIONS request that is no preflight, and refuses TRACE in the service's format", async () => {
    const options = await ask("/rest/v1/orders", { ...withKey(), method: "OPTIONS" });
    expect(await options.json()).toMatchObject({ name: "rest", path: "/orders" });
    const { hostname, port } = new URL(origin);
    const traced = await new Promise<{ status: number | undefined; body: string }>((settle, fail) => {
      request({ hostname, port, path: "/rest/v1/orders", method: "TRACE" }, (answer) => {
        let body = "";
        answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
        answer.on("end", () => settle({ status: answer.statusCode, body }));
      })
        .on("error", fail)
        .end();
    });
    expect([traced.status, JSON.parse(traced.body)]).toMatchObject([
      405,
      { code: "PGRST117", message: "Unsupported HTTP method: TRACE" },
    ]);
  });

  it("answers a preflight for any origin and exposes what clients read", async () => {
    const preflight = await ask("/rest/v1/orders", {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.example", "access-control-request-headers": "apikey, prefer" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("apikey, prefer");
    const answer = await ask("/rest/v1/orders", withKey());
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("content-range");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("an answer", () => {
  it("is its caller's alone, unless anybody may read it", async () => {
    const kept = async (path: string, init: RequestInit = withKey()) =>
      (await ask(path, init)).headers.get("cache-control");
    const authorization = `Bearer ${tokens.sign({ role: "authenticated", sub: "a-buyer", exp: inAnHour() })}`;
    expect(await kept("/rest/v1/ticket_types")).toBeNull();
    expect(await kept("/rest/v1/orders", withKey({ authorization }))).toBe("no-store");
    expect(await kept("/rest/v1/orders", {})).toBe("no-store");
    expect(await kept("/functions/v1/payment-config")).toBe("no-store");
    expect(await kept("/mailbox")).toBe("no-store");
  });

  it("requires https where that is the site's address, and allows connections to no other", async () => {
    const { headers } = await ask("/");
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(headers.get("content-security-policy")).toContain("connect-src 'self' wss://festival.example;");
    expect((await ask("/assets/app-abc.js")).headers.has("strict-transport-security")).toBe(true);
    const { headers: overHttp } = await ask("/rest/v1/orders", withKey()); // its address here is http://localhost
    expect(overHttp.has("strict-transport-security")).toBe(false);
  });

  it("requires https of the address's subdomains only where the operator says so", async () => {
    const { site } = deps;
    const apiUrl = site.siteUrl();
    for (const [hstsSubdomains, required] of [
      [false, "max-age=31536000"],
      [true, "max-age=31536000; includeSubDomains"],
    ] as const) {
      const secured = createGateway({ ...deps, apiUrl, site: { ...site, hstsSubdomains } });
      for (const path of ["/", "/assets/app-abc.js", "/rest/v1/orders"]) {
        const { headers } = await secured.fetch(new Request(apiUrl + path, withKey()));
        expect(headers.get("strict-transport-security"), path).toBe(required);
      }
    }
  });

  it("loads nothing and allows no framing, in refusals too; no other site frames a page or file", async () => {
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    const paths = ["rest/v1/a", "auth/v1/a", "functions/v1/a", "storage/v1/a", "realtime/v1/a"];
    for (const path of paths) {
      for (const init of [withKey(), { headers: { apikey: "wrong" } }]) {
        expect((await ask(`/${path}`, init)).headers.get("content-security-policy")).toBe(policy);
      }
    }
    const page = (await ask("/")).headers.get("content-security-policy");
    expect(page).toContain("frame-ancestors 'self'; base-uri 'none';");
    for (const other of ["/assets/app-abc.js", "/mailbox"]) {
      const { headers } = await ask(other);
      expect(headers.get("content-security-policy")).toBe("base-uri 'none'; frame-ancestors 'self'");
    }
  });

  it("refuses the service key in an address, where logs would keep it", async () => {
    const answer = await ask(`/rest/v1/orders?apikey=${keys.service}`);
    expect(await answer.json()).toEqual({ service: "rest", code: "invalid_api_key" });
    expect((await ask("/rest/v1/orders", { headers: { apikey: keys.service } })).status).toBe(200);
  });
});

it("reports 503 from /health while the disk is full, although reads are answered", async () => {
  const health = async () => (await ask("/health")).status;
  expect(await health()).toBe(200);
  diskHasRoom = false;
  await expect.poll(health).toBe(503);
  expect((await ask("/rest/v1/ticket_types", withKey())).status).toBe(200);
  diskHasRoom = true;
  await expect.poll(health).toBe(200);
});

it("probes once for all health checks within a second", async () => {
  const before = looks;
  const began = performance.now();
  const asked = await Promise.all(Array.from({ length: 50 }, () => ask("/health")));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
  const seconds = (performance.now() - began) / 1000;
  expect(looks - before).toBeLessThanOrEqual(1 + Math.ceil(seconds));
});

describe("the log", () => {
  it.each([
    ["a buyer", { role: "authenticated", sub: "a-buyer" }, { role: "authenticated", id: "a-buyer" }],
    ["a visitor", { role: "anon" }, { role: "anon", id: undefined }],
  ] as const)("has who was denied what: %s", async (_, claims, caller) => {
    lines.length = 0;
    const authorization = `Bearer ${tokens.sign({ ...claims, exp: inAnHour() })}`;
    const status = claims.role === "anon" ? 401 : 403;
    await ask(`/rest/v1/fails-${status}`, withKey({ authorization }));
    await ask("/rest/v1/orders", withKey({ authorization }));
    await ask("/rest/v1/orders", withKey({ authorization: "Bearer forged" }));
    expect(lines).toEqual([
      [
        "warn",
        "access denied",
        expect.objectContaining({ method: "GET", path: `/fails-${status}`, status, caller }),
      ],
    ]);
  });

  it.each([400, 413, 422, 429])("has who sent what was rejected with %i, and from where", async (status) => {
    lines.length = 0;
    await ask(`/functions/v1/fails-${status}`, withKey());
    expect(lines).toEqual([
      [
        "warn",
        "request rejected",
        expect.objectContaining({
          path: `/fails-${status}`,
          status,
          ip: "127.0.0.1",
          caller: { role: "anon" },
        }),
      ],
    ]);
    lines.length = 0;
    await ask(`/functions/v1/fails-${status}`, withKey());
    expect(lines, "the second within a second").toEqual([
      ["info", "request rejected", expect.objectContaining({ status })],
    ]);
  });

  it("has an error for each failure", async () => {
    lines.length = 0;
    await Promise.all([1, 2].map(() => ask("/rest/v1/fails-500", withKey())));
    const failed = ["error", "failed", expect.objectContaining({ path: "/fails-500", status: 500 })];
    expect(lines).toEqual([failed, failed]);
  });

  it("has one warning per service and kind for everything refused under load", async () => {
    lines.length = 0;
    const paths = ["/rest/v1/fails-504", "/rest/v1/fails-503", "/auth/v1/fails-503"];
    await Promise.all([...paths, ...paths, ...paths].map((path) => ask(path, withKey())));
    const refused = (status: number) => ["warn", "refused", expect.objectContaining({ status })];
    expect(lines).toHaveLength(3);
    expect(lines).toEqual(expect.arrayContaining([refused(504), refused(503), refused(503)]));
  });
});

describe("bodies", () => {
  it("refuses 20 MB with 413, declared or streamed, and accepts what is within the limit", async () => {
    const big = Buffer.alloc(20 * 1024 * 1024, "x");
    const declared = await ask("/functions/v1/create-payment-intent", { method: "POST", body: big });
    expect(declared.status).toBe(413);
    expect(await declared.json()).toEqual({ service: "functions", code: "payload_too_large" });
    const streamed = await ask("/functions/v1/create-payment-intent", {
      method: "POST",
      body: new Blob([big]).stream(),
      duplex: "half",
    });
    expect(streamed.status).toBe(413);
    const small = await ask("/functions/v1/create-payment-intent", {
      method: "POST",
      body: new Blob(["streamed"]).stream(),
      duplex: "half",
    });
    expect(((await small.json()) as { body: string }).body).toBe("streamed");
  });

  const buyer = () => tokens.sign({ role: "authenticated", sub: "a-buyer", exp: inAnHour() });
  const post = async (path: string, body: string, token: string, type = "application/json") => {
    const typed = type === "none" ? {} : { "content-type": type };
    const headers = { apikey: keys.anon, authorization: `Bearer ${token}`, ...typed };
    const answer = await ask(path, { method: "POST", body: Buffer.from(body), headers });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };

  it.each([
    ["/auth/v1/token", 413, 413],
    ["/functions/v1/create-payment-intent", 413, 413],
    ["/functions/v1/stripe-webhook", 200, 200],
    ["/rest/v1/rpc/record_visits", 413, 200],
    ["/storage/v1/object/list/a", 413, 200],
    ["/storage/v1/object/%6Cist/a", 413, 200],
    ["/realtime/v1/api/broadcast", 413, 200],
  ])("are no larger than a form where only forms are accepted: %s", async (path, visitors, buyers) => {
    const body = JSON.stringify("x".repeat(70_000));
    expect((await post(path, body, keys.anon))[0]).toBe(visitors);
    expect((await post(path, body, buyer()))[0]).toBe(buyers);
    expect((await post(path, "x".repeat(60_000), keys.anon))[0]).toBe(200);
  });

  const ANY = ["application/json", "text/plain", "none", "application/octet-stream", "image/png"];
  it.each([
    ["/auth/v1/token", ANY],
    ["/rest/v1/site_visits", ["application/json", "Application/JSON; charset=utf-8", "none"]],
    [
      "/functions/v1/create-payment-intent",
      ["application/json", "text/plain", "none", "text/json", "x/y+json"],
    ],
    ["/functions/v1/stripe-webhook", ["application/json", "text/plain", "none"]],
    ["/storage/v1/bucket", ANY],
    ["/storage/v1/object/list/a", ANY],
    ["/storage/v1/object/%6cist/a", ANY],
    ["/storage/v1/%62ucket", ANY],
    ["/storage/v1/object/%63op%79", ANY],
    ["/storage/v1/object/%73ign/a", ANY],
    ["/storag%65/v1/object/list%2Dv2/a", ANY],
    ["/realtime/v1/api/broadcast", ANY],
    ["/realtime/v1/api/broadcas%74", ANY],
    ["/realtime/v1/api/broadcast/room/events/shout", ["application/json", "text/plain", "none"]],
  ])("are refused when they nest too deeply and a service reads them as JSON: %s", async (path, types) => {
    for (const type of types)
      expect([type, await post(path, "[".repeat(65), buyer(), type)]).toEqual([type, [400, "too_deep"]]);
  });

  it.each([
    ["/rest/v1/rpc/stored_bytes", ["application/octet-stream", "text/plain", "text/csv"]],
    ["/realtime/v1/api/broadcast/room/events/shout", ["application/octet-stream"]],
    ["/functions/v1/any", ["application/octet-stream", "image/png", "multipart/form-data; boundary=x"]],
    ["/mailbox/form", ["application/x-www-form-urlencoded"]],
  ])(
    "may contain any number of brackets when a service reads them as something else: %s",
    async (path, types) => {
      const headers = (type: string) => ({ apikey: keys.anon, "content-type": type });
      for (const type of types) {
        const answer = await ask(path, { method: "POST", body: "[".repeat(65), headers: headers(type) });
        expect([type, answer.status]).toEqual([type, 200]);
      }
    },
  );
});

describe("an upload that is refused", () => {
  it("closes its connection, and announces that, unless it was small enough to be read", async () => {
    const refused = (size: number) =>
      ask("/storage/v1/object/fails-500", { method: "POST", body: Buffer.alloc(size) });
    expect((await refused(70_000)).headers.get("connection")).toBe("close");
    expect((await refused(60_000)).headers.get("connection")).toBe("keep-alive");
  });
});

describe("what no service sees", () => {
  const raw = async (lines: string[]) => {
    const { connect } = await import("node:net");
    const { hostname, port } = new URL(origin);
    return new Promise<string>((done, fail) => {
      const socket = connect(Number(port), hostname);
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk));
      socket.on("close", () => done(text));
      socket.on("error", fail);
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
    });
  };
  const websocket = [
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ];

  it.each([
    ["TRACE", ["TRACE /rest/v1/orders HTTP/1.1", "Host: x"], "405"],
    ["TRACE of a page", ["TRACE / HTTP/1.1", "Host: x"], "405"],
    ["a method that no parser knows", ["FOO /rest/v1/orders HTTP/1.1", "Host: x"], "405"],
    ["one that begins like another", ["GETS / HTTP/1.1", "Host: x"], "405"],
    ["bytes that are not HTTP", ["\x16\x03\x01 HELLO / HTTP/1.1"], "400"],
    ["headers beyond the size limit", ["GET / HTTP/1.1", "Host: x", `X: ${"x".repeat(20_000)}`], "431"],
    ["an address that is none", ["GET http://[ HTTP/1.1", "Host: x"], "404"],
    ["an API's address that is none", ["GET http://[/rest/v1/orders HTTP/1.1", "Host: x"], "404"],
    ["a host that is none", ["GET /rest/v1/orders HTTP/1.1", "Host: ["], "400"],
    ["a path that is no UTF-8", ["GET /storage/v1/object/a/%ED%A0%80 HTTP/1.1", "Host: x"], "400"],
    ["a NUL in a path", ["GET /storage/v1/object/a/%00 HTTP/1.1", "Host: x"], "400"],
    ["a NUL in a page's path", ["GET /mailbox/%00 HTTP/1.1", "Host: x"], "400"],
    ["a NUL in a query", ["GET /functions/v1/x?a=%00 HTTP/1.1", "Host: x"], "400"],
    [
      "an upgrade of no address",
      ["GET http://[ HTTP/1.1", "Host: x", "Connection: upgrade", ...websocket],
      "400",
    ],
  ])("is refused as the caller's fault: %s", async (_, lines, status) => {
    expect(await raw(lines)).toContain(`HTTP/1.1 ${status}`);
  });

  it.each([
    ["GET /%ff HTTP/1.1", "Bad Request"],
    ["GET /rest/v1/%ff HTTP/1.1", "Bad Request"],
    ["TRACE / HTTP/1.1", "Method Not Allowed"],
    ["FOO /mailbox HTTP/1.1", "Method Not Allowed"],
  ])("is answered with the reason: %s", async (line, message) => {
    const answer = await raw([line, "Host: x"]);
    expect(answer).toContain(JSON.stringify({ message }));
    expect(answer).toContain("content-type: application/json; charset=utf-8");
  });

  it.each([
    "FOO / HTTP/1.1",
    "TRACE / HTTP/1.1",
    "GET /mailbox/%00 HTTP/1.1",
    "GET /%ff HTTP/1.1",
    "GET /health HTTP/1.1",
  ])("is answered with the headers of every answer: %s", async (line) => {
    const answer = await raw([line, "Host: x"]);
    expect(answer).toContain("x-content-type-options: nosniff");
    expect(answer).toContain("referrer-policy: strict-origin-when-cross-origin");
    expect(answer).toContain("content-security-policy: base-uri 'none'; frame-ancestors 'self'");
  });

  it("is answered in PostgREST's format when REST is asked with an unknown method", async () => {
    const answer = await raw(["FOO /rest/v1/orders HTTP/1.1", "Host: x"]);
    const [head, body] = answer.split("\r\n\r\n");
    expect(JSON.parse(body!)).toEqual({
      code: "PGRST117",
      message: "Unsupported HTTP method: FOO",
      details: null,
      hint: null,
    });
    expect(head).toContain("allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    expect(head).toContain(`content-length: ${body!.length}`);
  });

  it("is refused in the service's own format", async () => {
    const answer = await ask("/auth/v1/signup", {
      method: "POST",
      body: '{"data":{"name":"\\u0000"}}',
      ...withKey(),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ service: "auth", code: "unstorable_text" });
  });
});

it("starts no work for a client that sends a request and leaves", async () => {
  const { hostname, port } = new URL(origin);
  const leave = (head: string, body = "") =>
    new Promise((closed) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head} HTTP/1.1\r\nhost: a\r\napikey: ${keys.anon}\r\n`);
        socket.end(`content-length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
      });
      socket.on("close", closed);
    });
  await ask("/rest/v1/before", { headers: { apikey: keys.anon } });
  reached.length = 0;
  await Promise.all([leave("GET /rest/v1/left"), leave("POST /functions/v1/left", "{}")]);
  await ask("/rest/v1/stays", { headers: { apikey: keys.anon } });
  expect(reached).toEqual(["/stays"]);
});

it("closes an upgrade it refused, whatever else its client sends", async () => {
  const connections = () => new Promise((settle) => server.getConnections((_error, count) => settle(count)));
  server.closeAllConnections();
  await expect.poll(connections).toBe(0);
  const socket = connect({ port: Number(new URL(origin).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  socket.write("GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nmore");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("HTTP/1.1 404");
  socket.write("and more");
  await expect.poll(connections).toBe(0);
  socket.destroy();
});

describe("the site", () => {
  it("serves a page with the key filled in and a policy that allows only its own inline script", async () => {
    const answer = await ask("/about");
    const html = await answer.text();
    expect(html).toContain("<title>About</title>");
    expect(html).toContain(`<meta name="supabase-anon-key" content="${keys.anon}"/>`);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/=]+'/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  it("answers 304 to a browser that has the page, and caches hashed files forever", async () => {
    const first = await ask("/");
    const again = await ask("/", { headers: { "if-none-match": first.headers.get("etag")! } });
    expect(again.status).toBe(304);
    expect((await ask("/assets/app-abc.js")).headers.get("cache-control")).toContain("immutable");
  });

  it("serves the app's own pages from the fallback and answers 404 for any other path", async () => {
    expect((await ask("/checkout")).status).toBe(200);
    expect((await ask("/admin/orders")).status).toBe(200);
    const missing = await ask("/no-such-page");
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("Fallback");
    expect((await ask("/assets/missing.js")).status).toBe(404);
  });

  it("finds a page by its address, with or without trailing slashes, and by its file", async () => {
    const titleAt = async (path: string) => /<title>(.*)<\/title>/.exec(await (await ask(path)).text())?.[1];
    for (const path of ["/about", "/about/", "/about//", "/about/index.html", "/%61bout", "/about?a=1"]) {
      expect([path, await titleAt(path)]).toEqual([path, "About"]);
    }
    expect(await titleAt("/")).toBe("Home");
  });

  it("serves a page of the app from the fallback when it is requested with a query", async () => {
    expect(await (await ask("/auth")).text()).toContain("Sign in");
    expect(await (await ask("/auth?type=recovery")).text()).toContain("Fallback");
  });

  it("writes its own address and the offers into the pages", async () => {
    expect(await (await ask("/sitemap.xml")).text()).toBe("<loc>https://festival.example/tickets</loc>");
    const page = async () => (await ask("/tickets", { headers: { "accept-encoding": "br" } })).text();
    await expect.poll(page).toContain('<ul class="list"><li>VIP &lt;gold>: $150.00</li></ul>');
    expect(await page()).toContain(
      '"offers":[{"@type":"Offer","name":"VIP \\u003cgold>","price":"150.00","priceCurrency":"USD",' +
        '"availability":"https://schema.org/InStock","url":"https://festival.example/tickets"}]',
    );
  });

  it("does not leave the site's folder", async () => {
    for (const path of [
      "/..%2f..%2fetc%2fpasswd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/assets/..%5c..%5cindex.html",
      "/.git/config",
      "/assets/",
      "/assets",
      "/%",
    ]) {
      const answer = await ask(path);
      expect([400, 404]).toContain(answer.status);
      expect(await answer.text()).not.toContain("root:");
    }
  });

  it("answers 404 for a file that was deleted while the server runs", async () => {
    rmSync(join(directory, "assets/gone-abc.js"));
    expect((await ask("/assets/gone-abc.js")).status).toBe(404);
    expect((await ask("/")).status).toBe(200);
  });

  it("passes its own pages their whole path", async () => {
    expect(await (await ask("/mailbox/1")).text()).toBe("/mailbox/1");
  });
});
