// An answer whose body is a Node stream goes to the socket without Web streams: complete, and ended when either side ends.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { createTokens } from "../platform/keys/jwt.ts";
import { createLog } from "../platform/log.ts";
import { answerWith, PipedBody } from "../platform/http/piped-body.ts";
import { createClientAddress } from "./requests/client-address.ts";
import { createGateway } from "./index.ts";

const CHUNK = Buffer.alloc(256 * 1024, "chunk");
const CHUNKS = 40;

let source: Readable;
async function* chunks(failAfter = Infinity) {
  for (let n = 0; n < CHUNKS; n++) {
    if (n === failAfter) throw new Error("the disk is gone");
    yield CHUNK;
  }
}

const answering = {
  async fetch(request: Request) {
    const fails = request.url.includes("fails");
    return answerWith(new PipedBody(() => (source = Readable.from(chunks(fails ? 2 : Infinity)))), {
      status: 206,
      headers: { "content-length": String(CHUNK.length * CHUNKS), etag: '"a"' },
    });
  },
  renderError: () => new Response(null, { status: 500 }),
  handleUpgrade: () => {},
};

const log = createLog("silent");
const gateway = createGateway({
  services: {
    auth: answering,
    rest: answering,
    storage: answering,
    functions: answering,
    realtime: answering,
  },
  pages: {},
  tokens: createTokens("a secret of at least thirty-two characters", systemClock),
  keys: { anon: "anon", service: "service" },
  apiUrl: "http://localhost",
  clientAddress: createClientAddress([]),
  log,
});

let origin: string;
beforeAll(async () => {
  gateway.server.listen(0, "127.0.0.1");
  await once(gateway.server, "listening");
  origin = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}/storage/v1/object/public`;
});
afterAll(() => {
  gateway.server.closeAllConnections();
  gateway.server.close();
});

async function ask(path: string): Promise<IncomingMessage> {
  const [response] = (await once(get(`${origin}/${path}`), "response")) as [IncomingMessage];
  return response;
}

it("is sent complete, with the service's headers and the gateway's", async () => {
  const response = await ask("bucket/whole");
  expect(response.statusCode).toBe(206);
  expect(response.headers).toMatchObject({ etag: '"a"', "access-control-allow-origin": "*" });
  expect(response.headers["x-request-id"]).toBeDefined();
  expect((await buffer(response)).equals(Buffer.concat(Array.from({ length: CHUNKS }, () => CHUNK)))).toBe(
    true,
  );
  expect(source.destroyed).toBe(true);
});

it("destroys its source when the reader leaves", async () => {
  const response = await ask("bucket/left");
  await once(response, "data");
  const closed = new Promise((done) => source.once("close", done));
  response.destroy();
  await closed;
  expect(source.readableEnded).toBe(false);
});

it("breaks off when its source fails, so that nobody takes it for complete", async () => {
  const response = await ask("bucket/fails");
  await expect(buffer(response)).rejects.toThrow("aborted");
});
