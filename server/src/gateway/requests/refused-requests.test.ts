// What no service sees: bodies that are too large or nest too deeply, and what is no valid request.
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { inAnHour, openGateway } from "../../../testing/gateway.ts";

const { origin, tokens, keys, ask, withKey } = await openGateway();

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
      ask("/storage/v1/object/fails-500", {
        method: "POST",
        body: Buffer.alloc(size),
        headers: { authorization: `Bearer ${keys.anon}` },
      });
    expect((await refused(70_000)).headers.get("connection")).toBe("close");
    expect((await refused(60_000)).headers.get("connection")).toBe("keep-alive");
  });
});

describe("what no service sees", () => {
  const raw = async (lines: string[]) => {
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
    ["two hosts for a page", ["GET / HTTP/1.1", "Host: x", "host: y"], "400"],
    ["two hosts for an API", ["GET /rest/v1/orders HTTP/1.1", "Host: x", "Host: x"], "400"],
    ["two hosts for /health", ["GET /health HTTP/1.1", "Host: x", "HOST: y"], "400"],
    [
      "an upgrade for two hosts",
      ["GET /realtime/v1/websocket HTTP/1.1", "Host: x", "Host: y", "Connection: upgrade", ...websocket],
      "400",
    ],
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
