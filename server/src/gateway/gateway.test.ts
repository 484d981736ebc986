// What every answer has, /health, the log, and clients that leave.
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { inAnHour, openGateway } from "../../testing/gateway.ts";
import { createGateway } from "./index.ts";

const { deps, server, origin, tokens, keys, lines, disk, reached, ask, withKey } = await openGateway();

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

  it("requires https where its address has it, and of subdomains only where the operator says so", async () => {
    const required = async (apiUrl: string, hstsSubdomains: boolean) => {
      const secured = createGateway({ ...deps, apiUrl, hstsSubdomains });
      const { headers } = await secured.fetch(new Request(`${apiUrl}/rest/v1/orders`, withKey()));
      return headers.get("strict-transport-security");
    };
    expect(await required("http://localhost", true)).toBeNull();
    expect(await required("https://project.example", false)).toBe("max-age=31536000");
    expect(await required("https://project.example", true)).toBe("max-age=31536000; includeSubDomains");
  });

  it("loads nothing and allows no framing, in refusals too; no other site frames a page", async () => {
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    const paths = ["rest/v1/a", "auth/v1/a", "functions/v1/a", "storage/v1/a", "realtime/v1/a"];
    for (const path of paths) {
      for (const init of [withKey(), { headers: { apikey: "wrong" } }]) {
        expect((await ask(`/${path}`, init)).headers.get("content-security-policy")).toBe(policy);
      }
    }
    const { headers } = await ask("/mailbox");
    expect(headers.get("content-security-policy")).toBe("base-uri 'none'; frame-ancestors 'self'");
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
  disk.hasRoom = false;
  await expect.poll(health).toBe(503);
  expect((await ask("/rest/v1/ticket_types", withKey())).status).toBe(200);
  disk.hasRoom = true;
  await expect.poll(health).toBe(200);
});

it("probes once for all health checks within a second", async () => {
  const before = disk.looks;
  const began = performance.now();
  const asked = await Promise.all(Array.from({ length: 50 }, () => ask("/health")));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
  const seconds = (performance.now() - began) / 1000;
  expect(disk.looks - before).toBeLessThanOrEqual(1 + Math.ceil(seconds));
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
