// Large files sent to sockets in reused chunks: no client receives another's bytes, and no file stays open.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PipedBody } from "../../platform/http/piped-body.ts";
import { readFile } from "./file-reader.ts";

const SIZE = 16_000_000; // more than sockets hold
const folder = mkdtempSync(join(tmpdir(), "file-reader-"));
const files = new Map(["a", "b", "c", "d"].map((name) => [name, randomBytes(SIZE)]));

const server = createServer((request, response) => {
  const [, name, from = "0"] = request.url!.split("/");
  const start = Number(from);
  void readFile(join(folder, name!), { start, end: SIZE - 1 }).then((body) => {
    response.writeHead(200, { "content-length": SIZE - start });
    if (body instanceof PipedBody) body.sendTo(response);
    else response.end(body);
  });
});

beforeAll(async () => {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function ask(path: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, path: `/${path}`, agent: false }), "response")) as [
    IncomingMessage,
  ];
  return response;
}

const filesOpen = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false; // closed meanwhile
    }
  }).length;

it("sends each of many readers its own file, even the slow ones", async () => {
  for (let round = 0; round < 2; round++) {
    const slow = await ask("a/1000");
    const paths = [...files.keys()];
    const quick = await Promise.all(paths.map(async (path) => buffer(await ask(path))));
    quick.forEach((bytes, at) => expect(bytes.equals(files.get(paths[at]!)!)).toBe(true));
    expect((await buffer(slow)).equals(files.get("a")!.subarray(1000))).toBe(true);
  }
  await expect.poll(filesOpen).toBe(0);
});

it("closes the file when its reader leaves, and sends the next one its own", async () => {
  const leaving = await ask("b");
  await once(leaving, "data");
  expect(filesOpen()).toBe(1);
  leaving.destroy();
  await expect.poll(filesOpen).toBe(0);
  expect((await buffer(await ask("c"))).equals(files.get("c")!)).toBe(true);
});

it("breaks off where the file ends too early, so that nobody takes it for complete", async () => {
  const cut = await ask("d");
  truncateSync(join(folder, "d"), 10);
  await expect(buffer(cut)).rejects.toThrow("aborted");
  await expect.poll(filesOpen).toBe(0);
});
