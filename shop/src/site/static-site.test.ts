// How the site's files are compressed and found, over a real socket.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StaticSite } from "./static-site.ts";
import { trustedOrigins } from "./trusted-origins.ts";

const SCRIPT = "start();".repeat(200);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let directory: string;
let server: Server;
let origin: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "festival-site-"));
  mkdirSync(join(directory, "assets"));
  mkdirSync(join(directory, "tickets"));
  writeFileSync(join(directory, "assets/app-abc.js"), SCRIPT);
  writeFileSync(
    join(directory, "tickets/index.html"),
    '<html><head></head><body><ul data-offers="" class="list"></ul></body></html>',
  );
  const site = new StaticSite({
    directory,
    meta: {},
    siteUrl: () => "https://festival.example",
    offers: async () => [
      { name: "VIP", price: { cents: 150_00, withFee: 150_00 }, state: "open", isTicket: true },
    ],
    published: { read: async () => ({}), listen: () => {}, render: async () => new Map(), log: silent },
    trustedOrigins: trustedOrigins({}),
  });
  server = createServer(
    (request, response) =>
      void (site.serve(request, response, request.url!) || response.writeHead(404).end()),
  );
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(directory, { recursive: true });
});

it("compresses with brotli, given time", async () => {
  await expect.poll(async () => (await raw("/assets/app-abc.js")).encoding).toBe("br");
  expect(textOf(await raw("/assets/app-abc.js"))).toBe(SCRIPT);
});

it("keeps serving a compressed page when it changes during its first compression", async () => {
  const { encoding: first } = await raw("/tickets");
  let last: Sent | undefined;
  await expect.poll(async () => textOf((last = await raw("/tickets")))).toContain("VIP");
  expect([first, last?.encoding]).toEqual([undefined, "br"]);
});

it("answers for a path of 15,000 slashes as fast as for any other", async () => {
  for (const path of [`/a${"/".repeat(15_000)}a`, `/tickets${"/".repeat(15_000)}`]) {
    const begun = performance.now();
    await raw(path);
    expect(performance.now() - begun).toBeLessThan(300);
  }
});

interface Sent {
  encoding: string | undefined;
  bytes: Buffer;
}

const textOf = ({ encoding, bytes }: Sent) =>
  (encoding === "br" ? brotliDecompressSync(bytes) : bytes).toString();

/** fetch decodes the body; a plain request returns the bytes as sent. */
function raw(path: string): Promise<Sent> {
  return new Promise((done, fail) => {
    get(origin + path, { headers: { "accept-encoding": "br" } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        done({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(chunks) }),
      );
    }).on("error", fail);
  });
}
