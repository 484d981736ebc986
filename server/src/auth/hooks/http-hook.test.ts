// Hooks over HTTP, against a real server on loopback. The signature is checked as a Standard Webhooks receiver does.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askOverHttp } from "./http-hook.ts";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const KEYS = [Buffer.alloc(32, "first"), Buffer.alloc(32, "second")];
const secrets = KEYS.map((key) => `v1,whsec_${key.toString("base64")}`).join("|");

let received: Received[] = [];
let answer = (_response: ServerResponse, _attempt: number): unknown => undefined;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(response, received.length);
  });
});
let uri: string;
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
});

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const ask = (patience = { mostMs: 60_000, pauseMs: 1 }) =>
  askOverHttp({ uri, secrets }, { a: "ñ" }, patience);

it("posts the payload, signed with every secret, and reads the answer", async () => {
  answer = (response) => json(response, 200, { decision: "continue" });
  expect(await ask()).toEqual({ decision: "continue" });
  const [{ headers, body }] = received as [Received];
  expect([headers["content-type"], body]).toEqual(["application/json", '{"a":"ñ"}']);
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  expect(headers["webhook-signature"]).toBe(
    KEYS.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" "),
  );
  expect(Math.abs(Number(headers["webhook-timestamp"]) * 1000 - Date.now())).toBeLessThan(300_000);
});

it("accepts an empty 204 as no answer", async () => {
  answer = (response) => response.writeHead(204).end();
  expect(await ask()).toBeUndefined();
});

it("retries with a new id while the hook sends retry-after, and when its connection breaks", async () => {
  answer = (response, attempt) => {
    if (attempt === 1) return json(response, 503, {}, { "retry-after": "1" });
    return attempt === 2 ? response.destroy() : json(response, 200, {});
  };
  expect(await ask()).toEqual({});
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
});

it.each([
  ["busy for good", 503, { "retry-after": "1" }, 3, "Service currently unavailable due to hook"],
  ["busy", 429, {}, 1, "Service currently unavailable due to hook"],
  ["displeased", 400, {}, 1, "Invalid payload sent to hook"],
  ["locked", 401, {}, 1, "Hook requires authorization token"],
  ["lost", 404, {}, 1, "Unexpected status code returned from hook: 404"],
])("refuses for a hook that is %s", async (_, status, headers, tries, message) => {
  answer = (response) => json(response, status, {}, headers);
  await expect(ask()).rejects.toMatchObject({ status: 500, code: "unexpected_failure", message });
  expect(received).toHaveLength(tries);
});

it.each([
  [
    "text",
    (response: ServerResponse) => response.writeHead(200, { "content-type": "text/plain" }).end("fine"),
    [400, "hook_payload_invalid_content_type", "Invalid JSON response. Received content-type: text/plain"],
  ],
  [
    "nothing",
    (response: ServerResponse) => response.writeHead(200).end(),
    [400, "hook_payload_invalid_content_type", "Invalid Content-Type: Missing Content-Type header"],
  ],
  [
    "half of it",
    (response: ServerResponse) => response.writeHead(200, { "content-type": "application/json" }).end('{"a'),
    [500, "unexpected_failure", "Error unmarshaling JSON output."],
  ],
  [
    "far too much",
    (response: ServerResponse) => json(response, 200, "x".repeat(200 * 1024)),
    [422, "hook_payload_over_size_limit", "Payload size exceeded size limit of 204800 bytes"],
  ],
] as const)("refuses when it answers %s", async (_, say, [status, code, message]) => {
  answer = say;
  await expect(ask()).rejects.toMatchObject({ status, code, message });
});

it("gives up on a hook that breaks each connection, and on one that never answers", async () => {
  answer = (response) => response.destroy();
  await expect(ask()).rejects.toMatchObject({ status: 422, code: "hook_timeout_after_retry" });
  expect(received).toHaveLength(3);
  answer = () => undefined;
  await expect(ask({ mostMs: 50, pauseMs: 1 })).rejects.toMatchObject({
    status: 422,
    code: "hook_timeout",
    message: "Failed to reach hook within maximum time of 0.050000 seconds",
  });
});
