// Who is admitted, with which keys and tokens, and what a service learns of the caller.
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { inAnHour, openGateway } from "../../testing/gateway.ts";
import { systemClock } from "../platform/clock.ts";
import { type Claims, createTokens } from "../platform/keys/jwt.ts";

const { gateway, origin, tokens, keys, ask, withKey } = await openGateway();

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

  it("refuses other calls to storage without Authorization, as storage-api does", async () => {
    const answer = await ask("/storage/v1/bucket", { headers: { apikey: keys.anon } });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { service: "storage", code: "InvalidRequest" },
    ]);
    const inParts = await ask("/storage/v1/upload/resumable", {
      method: "POST",
      headers: { apikey: keys.anon },
    });
    expect([inParts.status, await inParts.json()]).toEqual([
      401,
      { service: "storage", code: "invalid_token" },
    ]);
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
    const call = { headers: { apikey: keys.anon, authorization: `Bearer ${keys.anon}` } };
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
