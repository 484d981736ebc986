// Uploads in parts by the real TUS client: what it sends, what it is allowed, and what survives.
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Upload, type UploadOptions } from "tus-js-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alice, openStorage, type StorageWorld } from "../../../testing/storage/storage.ts";

const CHUNK = 256 * 1024;
let world: StorageWorld;
const DAY = 24 * 60 * 60 * 1000;
let later = 0;

beforeAll(async () => {
  world = await openStorage({ clock: { now: () => Date.now() + later } });
  await world.db.database
    .asService("a bucket with rules")
    .query(
      "insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values ('small', 'small', 100000, array['image/*'])",
    );
});
afterAll(() => world?.close());

type Who = keyof StorageWorld["clients"];
const papers = (who: Who) => world.clients[who].storage.from("papers");
const endpoint = () => `${world.url}/storage/v1/upload/resumable`;
const pending = () =>
  existsSync(world.uploads) ? readdirSync(world.uploads).filter((name) => !name.endsWith(".json")) : [];

const facts = (objectName: string, more: Record<string, string> = {}) => ({
  ...{ bucketName: "papers", objectName, contentType: "text/plain", cacheControl: "3600" },
  ...more,
});

/** Sends to the end, or until `stopAt` bytes are acknowledged; resolves with the upload's address. */
function send(
  who: Who,
  bytes: Buffer,
  metadata: Record<string, string>,
  options: Partial<UploadOptions> = {},
  stopAt = Infinity,
) {
  return new Promise<string>((resolve, reject) => {
    const upload: Upload = new Upload(bytes, {
      endpoint: endpoint(),
      headers: { authorization: `Bearer ${world.bearer[who]}` },
      chunkSize: CHUNK,
      retryDelays: null,
      metadata,
      ...options,
      onError: reject,
      onSuccess: () => resolve(upload.url!),
      onChunkComplete: (_, accepted) => {
        if (accepted >= stopAt) void upload.abort().then(() => resolve(upload.url!));
      },
    });
    upload.start();
  });
}

const bodyOf = async (name: string, who: Who = "alice") =>
  Buffer.from(await (await papers(who).download(name)).data!.arrayBuffer());

/** One hand-made request of the protocol. */
const ask = (
  method: string,
  url: string,
  who: Who | undefined,
  headers: Record<string, string> = {},
  body?: Buffer,
) =>
  fetch(url, {
    method,
    headers: {
      "tus-resumable": "1.0.0",
      ...(who ? { authorization: `Bearer ${world.bearer[who]}` } : {}),
      ...headers,
    },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });

const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");

const create = (
  who: Who | undefined,
  metadata: Record<string, string>,
  length: number,
  headers: Record<string, string> = {},
  path = "",
) =>
  ask("POST", endpoint() + path, who, {
    "upload-length": String(length),
    "upload-metadata": encode(metadata),
    ...headers,
  });

describe("an upload in parts", () => {
  it("becomes the object its metadata names, with type, cache time and metadata", async () => {
    const bytes = randomBytes(3 * CHUNK + 17);
    const name = `${alice}/parts.bin`;
    await send("alice", bytes, facts(name, { metadata: JSON.stringify({ color: "teal" }) }));
    expect((await bodyOf(name)).equals(bytes)).toBe(true);
    expect((await papers("alice").info(name)).data).toMatchObject({
      ...{
        size: bytes.length,
        contentType: "text/plain",
        cacheControl: "max-age=3600",
        metadata: { color: "teal" },
      },
    });
    expect(pending()).toEqual([]);
  });

  it("resumes where it stopped, after a lost connection and after a restart of the server", async () => {
    const bytes = randomBytes(4 * CHUNK);
    const name = `${alice}/interrupted.bin`;
    const uploadUrl = await send("alice", bytes, facts(name), {}, 2 * CHUNK);
    await world.restart();
    let first: number | undefined;
    await send("alice", bytes, facts(name), { uploadUrl, onProgress: (sent) => (first ??= sent) });
    expect(first).toBeGreaterThanOrEqual(2 * CHUNK);
    expect((await bodyOf(name)).equals(bytes)).toBe(true);
  });

  it("is finished when a client asks for the offset, if the server stopped after the last byte", async () => {
    const bytes = randomBytes(CHUNK);
    const name = `${alice}/whole.bin`;
    const uploadUrl = await send("alice", bytes, facts(name), { chunkSize: CHUNK / 2 }, CHUNK / 2);
    const [id] = pending();
    writeFileSync(join(world.uploads, id!), bytes); // the state after a crash between the last byte and the row
    await world.restart();
    await send("alice", bytes, facts(name), { uploadUrl });
    expect((await bodyOf(name)).equals(bytes)).toBe(true);
    const again = await ask("HEAD", uploadUrl, "alice");
    expect([again.status, again.headers.get("upload-offset")]).toEqual([200, String(bytes.length)]);
  });

  it("replaces an object only with x-upsert", async () => {
    const name = `${alice}/twice.bin`;
    await send("alice", Buffer.from("one"), facts(name));
    await expect(send("alice", Buffer.from("two"), facts(name))).rejects.toThrow(
      "The resource already exists",
    );
    const headers = { authorization: `Bearer ${world.bearer.alice}`, "x-upsert": "true" };
    await send("alice", Buffer.from("two"), facts(name), { headers });
    expect((await bodyOf(name)).toString()).toBe("two");
  });

  it("may be empty, and may be cancelled", async () => {
    await send("alice", Buffer.alloc(0), facts(`${alice}/empty.bin`));
    expect((await papers("alice").info(`${alice}/empty.bin`)).data).toMatchObject({ size: 0 });
    const url = await send("alice", randomBytes(2 * CHUNK), facts(`${alice}/given-up.bin`), {}, CHUNK);
    expect((await ask("DELETE", url, "alice")).status).toBe(204);
    expect(pending()).toEqual([]);
    expect((await ask("HEAD", url, "alice")).status).toBe(404);
  });

  it("goes to a signed address without rights, in the signer's name, and to no other object", async () => {
    const name = `${alice}/signed.bin`;
    const { data } = await papers("alice").createSignedUploadUrl(name);
    const signed = { endpoint: `${endpoint()}/sign`, headers: { "x-signature": data!.token } };
    await expect(send("anon", Buffer.from("x"), facts(`${alice}/other.bin`), signed)).rejects.toThrow(
      "Invalid signature",
    );
    await expect(send("anon", Buffer.from("x"), facts(name), { ...signed, headers: {} })).rejects.toThrow(
      "Missing x-signature header",
    );
    const bytes = randomBytes(CHUNK + 1);
    const url = await send("anon", bytes, facts(name), signed);
    expect(url).toContain("/upload/resumable/sign/");
    expect((await bodyOf(name)).equals(bytes)).toBe(true);
  });
});

describe("an unfinished upload", () => {
  /** A visitor's signed address. */
  const signedFor = async (name: string) => {
    const { data } = await papers("alice").createSignedUploadUrl(name);
    const headers = { "x-signature": data!.token };
    const start = () =>
      send("anon", randomBytes(2 * CHUNK), facts(name), { endpoint: `${endpoint()}/sign`, headers }, CHUNK);
    const status = async (url: string) => (await ask("HEAD", url, undefined, headers)).status;
    return { headers, start, status };
  };
  afterAll(async () => {
    for (const name of readdirSync(world.uploads)) rmSync(join(world.uploads, name));
    await world.restart();
  });
  const idOf = (url: string) =>
    Buffer.from(url.split("/").at(-1)!, "base64url").toString().split("/").at(-1)!;

  it("is one of at most two per object: the oldest gives way, also after a restart", async () => {
    const { start, status } = await signedFor(`${alice}/left.bin`);
    const before = pending().length;
    const urls = [await start(), await start(), await start()];
    expect(await Promise.all(urls.map(status))).toEqual([404, 200, 200]);
    await world.restart();
    urls.push(await start());
    expect(await Promise.all(urls.map(status))).toEqual([404, 404, 200, 200]);
    expect(pending().length - before).toBe(2);
  });

  it("is not taken from the client that is sending to it: the next one is asked to wait", async () => {
    const { headers, start, status } = await signedFor(`${alice}/busy.bin`);
    const urls = [await start(), await start()];
    const sending = urls.map((url) => {
      const call = request(url, {
        method: "PATCH",
        headers: {
          ...{ "tus-resumable": "1.0.0", "upload-offset": String(CHUNK), "content-length": String(CHUNK) },
          ...{ "content-type": "application/offset+octet-stream", ...headers },
        },
      }).on("error", () => {});
      call.write(Buffer.alloc(1024));
      return call;
    });
    const sizes = () => urls.map((url) => statSync(join(world.uploads, idOf(url))).size);
    await expect.poll(sizes).toEqual([CHUNK + 1024, CHUNK + 1024]);
    const third = await create(undefined, facts(`${alice}/busy.bin`), 10, headers, "/sign");
    expect(third.status).toBe(503);
    for (const call of sending) call.destroy();
    expect(await Promise.all(urls.map(status))).toEqual([200, 200]);
  });

  it("is no larger than its bucket allows, even if its length was not announced", async () => {
    const before = new Set(pending());
    const refused = await ask(
      "POST",
      endpoint(),
      "service",
      {
        "upload-defer-length": "1",
        "upload-metadata": encode({
          bucketName: "small",
          objectName: "endless.png",
          contentType: "image/png",
        }),
        "content-type": "application/offset+octet-stream",
      },
      randomBytes(3_000_000),
    );
    expect(refused.status).toBe(413);
    const left = pending().filter((id) => !before.has(id));
    expect(left).toHaveLength(1);
    expect(statSync(join(world.uploads, left[0]!)).size).toBeLessThanOrEqual(100_000);
  });

  it("needs a type that fits into a header", async () => {
    const odd = facts(`${alice}/odd.bin`, { contentType: "text/plain\r\nx: y" });
    expect((await create("alice", odd, 10)).status).toBe(415);
  });
});

it("answers OPTIONS with what the server supports", async () => {
  const { status, headers } = await ask("OPTIONS", endpoint(), undefined);
  expect([status, headers.get("tus-version"), headers.get("tus-max-size")]).toEqual([
    204,
    "1.0.0",
    String(50 * 1024 * 1024),
  ]);
  expect(headers.get("tus-extension")!.split(",")).toEqual(
    expect.arrayContaining(["creation", "termination", "expiration"]),
  );
});

describe("who may send", () => {
  it("is decided by the policies before a byte is accepted", async () => {
    const refused = await create("bob", facts(`${alice}/not-his.bin`), 10);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      "new row violates row-level security policy",
    ]);
    expect((await create("anon", facts(`${alice}/x.bin`), 10)).status).toBe(403);
    expect(pending()).toEqual([]);
  });

  it("and again when the last one is there", async () => {
    const name = `${alice}/overtaken.bin`;
    const bytes = randomBytes(2 * CHUNK);
    const uploadUrl = await send("alice", bytes, facts(name), {}, CHUNK);
    await papers("alice").upload(name, "somebody was faster");
    await expect(send("alice", bytes, facts(name), { uploadUrl })).rejects.toThrow("already exists");
    expect((await bodyOf(name)).toString()).toBe("somebody was faster");
    expect((await ask("DELETE", uploadUrl, "alice")).status).toBe(204);
  });

  it("is limited to its creator, even if others know its address", async () => {
    const url = await send("alice", randomBytes(2 * CHUNK), facts(`${alice}/hers.bin`), {}, CHUNK);
    for (const who of ["bob", "anon", "service"] as const) {
      expect((await ask("HEAD", url, who)).status).toBe(404);
      const patch = { "upload-offset": String(CHUNK), "content-type": "application/offset+octet-stream" };
      expect((await ask("PATCH", url, who, patch, randomBytes(9))).status).toBe(404);
      expect((await ask("DELETE", url, who)).status).toBe(404);
    }
    expect((await ask("DELETE", url, "alice")).status).toBe(204);
  });
});

describe("what is refused", () => {
  const image = (more: Record<string, string> = {}) =>
    facts("a.png", { bucketName: "small", contentType: "image/png", ...more });

  it.each([
    ["more than the bucket takes", () => create("service", image(), 100_001), 413, "Maximum size exceeded\n"],
    [
      "more than anything takes",
      () => create("service", facts("x"), 51 * 1024 * 1024),
      413,
      "Maximum size exceeded\n",
    ],
    [
      "a type the bucket does not take",
      () => create("service", image({ contentType: "text/html" }), 9),
      415,
      "mime type text/html is not supported",
    ],
    [
      "no type where the bucket asks for one",
      () => create("service", image({ contentType: "" }), 9),
      415,
      "mime type application/octet-stream is not supported",
    ],
    [
      "a bucket that is not there",
      () => create("service", facts("x", { bucketName: "nowhere" }), 9),
      404,
      "Bucket not found",
    ],
    [
      "no bucket",
      () => create("service", { objectName: "x" }, 9),
      400,
      "Upload-Metadata must have bucketName",
    ],
    [
      "no name",
      () => create("service", { bucketName: "papers" }, 9),
      400,
      "Upload-Metadata must have objectName",
    ],
    [
      "a name that no object may have",
      () => create("service", facts("a\u0000b"), 9),
      400,
      "Invalid key: a\u0000b",
    ],
    [
      "metadata that is no JSON",
      () => create("service", facts("x", { metadata: "{" }), 9),
      400,
      "Invalid Metadata: must be JSON",
    ],
    [
      "metadata that nests too deeply",
      () => create("service", facts("x", { metadata: "[".repeat(500) }), 9),
      400,
      "Invalid Metadata: nests too deeply",
    ],
    ["another protocol", () => fetch(endpoint(), { method: "POST" }), 412, "Tus-Resumable Required\n"],
    [
      "an address that names no upload",
      () => ask("HEAD", `${endpoint()}/${Buffer.from("../../etc/passwd").toString("base64url")}`, "service"),
      404,
      "",
    ],
    [
      "an upload that is not there",
      () =>
        ask(
          "PATCH",
          `${endpoint()}/${Buffer.from(`papers/x/${randomUUID()}`).toString("base64url")}`,
          "service",
          { "upload-offset": "0", "content-type": "application/offset+octet-stream" },
          Buffer.from("x"),
        ),
      404,
      "Upload not found",
    ],
  ])("%s", async (_, request, status, text) => {
    const response = await request();
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(pending()).toEqual([]);
  });

  it("is a part that begins at another offset, or contains more than announced", async () => {
    const created = await create("service", facts("exact.bin"), 10);
    const url = new URL(created.headers.get("location")!, world.url).href;
    const patch = (offset: number, bytes: number) =>
      ask(
        "PATCH",
        url,
        "service",
        { "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
        Buffer.alloc(bytes),
      );
    expect((await patch(5, 5)).status).toBe(409);
    expect((await patch(0, 11)).status).toBe(413);
    expect((await patch(0, 10)).status).toBe(204);
    expect((await papers("service").info("exact.bin")).data).toMatchObject({ size: 10 });
  });

  it("is a deferred length that exceeds the bucket's limit once it is known", async () => {
    const created = await ask("POST", endpoint(), "service", {
      "upload-defer-length": "1",
      "upload-metadata": encode(image()),
    });
    expect(created.status).toBe(201);
    const url = new URL(created.headers.get("location")!, world.url).href;
    const headers = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    expect(
      (await ask("PATCH", url, "service", { ...headers, "upload-length": "100001" }, Buffer.alloc(10)))
        .status,
    ).toBe(413);
    expect((await ask("PATCH", url, "service", headers, Buffer.alloc(100_001))).status).toBe(413);
    await ask("DELETE", url, "service");
  });
});

describe("when things go wrong", () => {
  it("reports a full disk, and the part can be sent again when there is room", async () => {
    const created = await create("service", facts("full.bin"), 10);
    const url = new URL(created.headers.get("location")!, world.url).href;
    const path = join(world.uploads, pending()[0]!);
    rmSync(path);
    symlinkSync("/dev/full", path);
    const headers = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    const refused = await ask("PATCH", url, "service", headers, Buffer.alloc(10));
    expect([refused.status, await refused.text()]).toEqual([507, "The server has no room for this object"]);
    rmSync(path);
    writeFileSync(path, "");
    expect((await ask("PATCH", url, "service", headers, Buffer.alloc(10))).status).toBe(204);
    expect((await papers("service").info("full.bin")).data).toMatchObject({ size: 10 });
  });

  it("two clients that send the same part leave one complete object", async () => {
    const bytes = randomBytes(2 * CHUNK);
    const name = `${alice}/doubled.bin`;
    const uploadUrl = await send("alice", bytes, facts(name), {}, CHUNK);
    const both = await Promise.allSettled([1, 2].map(() => send("alice", bytes, facts(name), { uploadUrl })));
    expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
    expect((await bodyOf(name)).equals(bytes)).toBe(true);
  });

  it("what is not finished within a day is deleted, and what is younger stays", async () => {
    const old = await send("alice", randomBytes(2 * CHUNK), facts(`${alice}/old.bin`), {}, CHUNK);
    const record = join(world.uploads, `${pending()[0]}.json`);
    const begun = new Date(Date.now() - 2 * DAY).toISOString();
    const { upload, grant } = JSON.parse(readFileSync(record, "utf8"));
    writeFileSync(record, JSON.stringify({ grant, upload: { ...upload, creation_date: begun } }));
    expect((await ask("HEAD", old, "alice")).status).toBe(410);
    const young = await send("alice", randomBytes(2 * CHUNK), facts(`${alice}/young.bin`), {}, CHUNK);
    expect((await world.sweep()).uploads).toBeGreaterThan(0);
    expect(pending()).toHaveLength(1);
    expect((await ask("HEAD", young, "alice")).status).toBe(200);
    later = 2 * DAY;
    await world.sweep();
    expect(readdirSync(world.uploads)).toEqual([]);
  });
});
