// Calls every method of the installed storage client with its options, over HTTP. Fails when the client gains a method.
import { Readable } from "node:stream";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { watchCalls } from "../../testing/client-calls.ts";
import { openStorage, type StorageWorld } from "../../testing/storage/storage.ts";

const { watch, uncalled, known } = watchCalls(
  /\.(handleOperation|bucketLifecycleUrl|listBucketOptionsToQueryString|uploadOrUpdate|prepareUploadFormData|encodeMetadata|toBase64|applyTransformOptsToQuery|getPromise|execute)$/,
);

let world: StorageWorld;
let storage: StorageWorld["clients"]["service"]["storage"];
/** A public bucket and a private one. */
let posters: ReturnType<typeof storage.from>;
let papers: ReturnType<typeof storage.from>;

beforeAll(async () => {
  world = await openStorage();
  storage = watch(world.clients.service.storage);
  posters = storage.from("posters");
  papers = storage.from("papers");
});
afterAll(() => world?.close());

/** The data of a successful answer. */
async function good<Answer extends { data: unknown; error: unknown }>(asked: PromiseLike<Answer>) {
  const { data, error } = await asked;
  expect(error).toBeNull();
  return data as NonNullable<Answer["data"]>;
}
const textAt = async (url: string) => (await fetch(url)).text();
const NOTHING = "00000000-0000-4000-8000-000000000000";

it("manages buckets", async () => {
  for (const name of ["methods-a", "methods-b", "methods-c"]) {
    expect(await good(storage.createBucket(name, { public: false }))).toEqual({ name });
  }
  const listed = async (options: Parameters<typeof storage.listBuckets>[0]) =>
    (await good(storage.listBuckets({ search: "methods", ...options }))).map(({ id }) => id);
  expect(await listed({})).toEqual(["methods-a", "methods-b", "methods-c"]);
  expect(await listed({ sortColumn: "id", sortOrder: "desc" })).toEqual([
    "methods-c",
    "methods-b",
    "methods-a",
  ]);
  expect(await listed({ sortColumn: "created_at", sortOrder: "desc", limit: 1 })).toEqual(["methods-c"]);
  expect(await listed({ sortColumn: "updated_at", limit: 1, offset: 1 })).toEqual(["methods-b"]);

  const allowed = { public: true, allowedMimeTypes: ["image/png", "text/*"], fileSizeLimit: 10 };
  expect(await good(storage.updateBucket("methods-a", allowed))).toEqual({ message: "Successfully updated" });
  const changed = { public: true, allowed_mime_types: ["image/png", "text/*"], file_size_limit: 10 };
  expect(await good(storage.getBucket("methods-a"))).toMatchObject(changed);
  const bucket = storage.from("methods-a");
  await good(bucket.upload("a.txt", "text", { contentType: "text/plain" }));
  expect((await bucket.upload("a.pdf", "text", { contentType: "application/pdf" })).error).toMatchObject({
    code: "InvalidMimeType",
  });
  await good(storage.updateBucket("methods-a", { public: true, allowedMimeTypes: null }));
  expect(await good(storage.getBucket("methods-a"))).toMatchObject({ allowed_mime_types: null });

  expect(await good(storage.emptyBucket("methods-a"))).toEqual({
    message: "Empty bucket has been queued. Completion may take up to an hour.",
  });
  expect(await good(bucket.list())).toEqual([]);
  expect(await good(storage.deleteBucket("methods-a"))).toEqual({ message: "Successfully deleted" });
  expect((await storage.getBucket("methods-a")).error).toMatchObject({ code: "NoSuchBucket" });
});

it("accepts uploads in every kind of body", async () => {
  const words = "one two three";
  const stream = () => new Blob([words]).stream();
  const bodies = {
    text: words,
    bytes: new TextEncoder().encode(words),
    buffer: new TextEncoder().encode(words).buffer,
    blob: new Blob([words], { type: "text/plain" }),
    file: new File([words], "file.txt", { type: "text/plain" }),
    web: stream(),
    node: Readable.from([Buffer.from(words)]),
  };
  for (const [kind, body] of Object.entries(bodies)) {
    const sent = await good(papers.upload(`kinds/${kind}.txt`, body, { contentType: "text/plain" }));
    expect(sent, kind).toMatchObject({ path: `kinds/${kind}.txt`, fullPath: `papers/kinds/${kind}.txt` });
    const blob = await good(papers.download(`kinds/${kind}.txt`));
    expect([await blob.text(), blob.type], kind).toEqual([words, "text/plain"]);
  }
  const form = new FormData();
  form.set("cacheControl", "77");
  form.set("metadata", JSON.stringify({ from: "a form" }));
  form.set("", new Blob([words], { type: "text/csv" }), "form.csv");
  await good(papers.upload("kinds/form.csv", form, { headers: { "x-note": "kept by nobody" } }));
  expect(await good(papers.info("kinds/form.csv"))).toMatchObject({
    size: words.length,
    contentType: "text/csv",
    cacheControl: "max-age=77",
    metadata: { from: "a form" },
  });
  await good(papers.update("kinds/text.txt", stream(), { contentType: "text/markdown", cacheControl: "5" }));
  expect(await good(papers.info("kinds/text.txt"))).toMatchObject({
    contentType: "text/markdown",
    cacheControl: "max-age=5",
  });
  // A header of the call wins over the option.
  const asked = { headers: { "x-upsert": "true" }, upsert: false };
  expect((await papers.upload("kinds/text.txt", "again", asked)).error).toBeNull();
  expect(await (await good(papers.download("kinds/text.txt"))).text()).toBe("again");
});

it("signs upload URLs", async () => {
  const first = await good(papers.createSignedUploadUrl("signed/in.txt"));
  expect(first).toMatchObject({ path: "signed/in.txt", signedUrl: expect.stringContaining(first.token) });
  const body = new Blob(["first"], { type: "text/plain" });
  const options = { cacheControl: "60", metadata: { color: "teal" } };
  expect(await good(papers.uploadToSignedUrl("signed/in.txt", first.token, body, options))).toEqual({
    path: "signed/in.txt",
    fullPath: "papers/signed/in.txt",
  });
  const stored = { cacheControl: "max-age=60", metadata: { color: "teal" }, contentType: "text/plain" };
  expect(await good(papers.info("signed/in.txt"))).toMatchObject(stored);
  const over = await good(papers.createSignedUploadUrl("signed/in.txt", { upsert: true }));
  await good(papers.uploadToSignedUrl("signed/in.txt", over.token, "second", { contentType: "text/css" }));
  const blob = await good(papers.download("signed/in.txt"));
  expect([await blob.text(), blob.type]).toEqual(["second", "text/css"]);
});

it("signs download URLs", async () => {
  await good(papers.upload("signed/out.txt", "out", { contentType: "text/plain" }));
  const options = { download: "other name.txt", cacheNonce: "7" };
  const { signedUrl } = await good(papers.createSignedUrl("signed/out.txt", 60, options));
  expect(new URL(signedUrl).searchParams.get("cacheNonce")).toBe("7");
  const named = await fetch(signedUrl);
  expect([named.headers.get("content-disposition"), await named.text()]).toEqual([
    "attachment; filename=other%20name.txt; filename*=UTF-8''other%20name.txt;",
    "out",
  ]);
  const [several, missing] = await good(
    papers.createSignedUrls(["signed/out.txt", "signed/none.txt"], 60, { download: true, cacheNonce: "8" }),
  );
  expect(missing).toMatchObject({ signedUrl: null, error: expect.any(String) });
  const downloaded = await fetch(several!.signedUrl!);
  expect([downloaded.headers.get("content-disposition"), await downloaded.text()]).toEqual([
    "attachment;",
    "out",
  ]);
});

it("downloads files, whole and as a stream", async () => {
  await good(posters.upload("read/me.txt", "me", { contentType: "text/plain" }));
  const chunks = [];
  for await (const chunk of await good(posters.download("read/me.txt").asStream())) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("me");
  const nonce = posters.download("read/me.txt", { cacheNonce: "9" });
  expect(await nonce.then(({ data }) => data!.text())).toBe("me");

  // Both are promises in full.
  let ended = 0;
  const count = () => void ended++;
  const strict = storage.from("posters").throwOnError();
  const refused = { code: "NoSuchKey" };
  for (const asked of [() => strict.download("none"), () => strict.download("none").asStream()]) {
    expect(await asked().catch((error: unknown) => error)).toMatchObject(refused);
    await expect(asked().finally(count)).rejects.toMatchObject(refused);
    await expect(asked().then(count)).rejects.toMatchObject(refused);
  }
  expect(ended).toBe(2);

  expect(await textAt(posters.getPublicUrl("read/me.txt", { cacheNonce: "1" }).data.publicUrl)).toBe("me");
  const { publicUrl } = posters.getPublicUrl("read/me.txt", { download: true }).data;
  expect((await fetch(publicUrl)).headers.get("content-disposition")).toBe("attachment;");
  expect(await good(posters.exists("read/me.txt"))).toBe(true);
  expect((await posters.exists("read/none.txt")).data).toBe(false);
});

it("transforms pictures on every read route", async () => {
  const create = { width: 80, height: 40, channels: 3, background: "#0e7c7b" } as const;
  const picture = await sharp({ create }).png().toBuffer();
  await good(posters.upload("picture.png", picture, { contentType: "image/png" }));
  const seen = async (bytes: ArrayBuffer) => {
    const { width, height, format } = await sharp(Buffer.from(bytes)).metadata();
    return [width, height, format];
  };
  const sizes = { cover: [20, 20, "png"], contain: [20, 10, "png"], fill: [20, 20, "png"] };
  for (const [resize, size] of Object.entries(sizes) as [keyof typeof sizes, unknown[]][]) {
    const transform = { width: 20, height: 20, resize, quality: 60, format: "origin" } as const;
    const blob = await good(posters.download("picture.png", { transform }));
    expect(await seen(await blob.arrayBuffer()), resize).toEqual(size);
    const { publicUrl } = posters.getPublicUrl("picture.png", { transform }).data;
    expect(await seen(await (await fetch(publicUrl)).arrayBuffer()), resize).toEqual(size);
    const { signedUrl } = await good(posters.createSignedUrl("picture.png", 60, { transform }));
    expect(await seen(await (await fetch(signedUrl)).arrayBuffer()), resize).toEqual(size);
  }
});

it("lists objects", async () => {
  for (const name of ["b.txt", "a.txt", "sub/c.txt"]) await good(papers.upload(`listed/${name}`, name));
  const names = async (options?: Parameters<typeof papers.list>[1]) =>
    (await good(papers.list("listed", options))).map(({ name }) => name);
  expect(await names()).toEqual(["sub", "a.txt", "b.txt"]);
  expect(await names({ limit: 1, offset: 1 })).toEqual(["a.txt"]);
  expect(await names({ search: "b" })).toEqual(["b.txt"]);
  for (const column of ["created_at", "updated_at", "last_accessed_at"]) {
    expect(await names({ sortBy: { column, order: "desc" } }), column).toEqual(["sub", "a.txt", "b.txt"]);
  }
  const controller = new AbortController();
  controller.abort();
  await expect(papers.list("listed", {}, { signal: controller.signal })).resolves.toMatchObject({
    data: null,
  });

  const sortBy = { column: "name", order: "desc" } as const;
  const found: unknown[] = [];
  for (let cursor: string | undefined, more = true; more;) {
    const options = { prefix: "listed/", limit: 1, with_delimiter: true, sortBy, ...(cursor && { cursor }) };
    const page = await good(papers.listV2(options));
    found.push(...page.folders.map(({ name }) => name), ...page.objects.map(({ name }) => name));
    [cursor, more] = [page.nextCursor, page.hasNext];
  }
  expect(found).toEqual(["listed/sub/", "listed/b.txt", "listed/a.txt"]);
});

it("moves, copies and removes, across buckets too", async () => {
  await good(papers.upload("there/from.txt", "from"));
  const destinationBucket = "posters";
  await good(papers.copy("there/from.txt", "here/copy.txt", { destinationBucket }));
  expect(await (await good(posters.download("here/copy.txt"))).text()).toBe("from");
  await good(papers.move("there/from.txt", "here/moved.txt", { destinationBucket }));
  expect(await (await good(posters.download("here/moved.txt"))).text()).toBe("from");
  expect((await papers.exists("there/from.txt")).data).toBe(false);
  expect(await good(posters.remove(["here/copy.txt", "here/moved.txt"]))).toHaveLength(2);
});

it("answers unsupported features as a service without them does", async () => {
  const off = { status: 400, statusCode: "409", code: "FeatureNotEnabled" };
  const noncurrentVersionExpiration = { noncurrentDays: 1 };
  const rules = [{ status: "Enabled" as const, filter: {}, noncurrentVersionExpiration }];
  expect((await storage.getBucketLifecycle("posters")).error).toMatchObject(off);
  expect((await storage.updateBucketLifecycle("posters", { rules })).error).toMatchObject(off);
  expect((await storage.deleteBucketLifecycle("posters")).error).toMatchObject(off);
  const uncached = { status: 400, code: "MissingParameter" };
  expect((await storage.purgeBucketCache("posters", { transformations: true })).error).toMatchObject(
    uncached,
  );
  expect((await posters.purgeCache("a.png", { transformations: true })).error).toMatchObject(uncached);
});

const missing = { status: 404 };

it("has no tables", async () => {
  const { analytics } = storage;
  expect((await analytics.createBucket("tables")).error).toMatchObject(missing);
  const options = { limit: 1, offset: 0, sortColumn: "name", sortOrder: "asc", search: "t" } as const;
  expect((await analytics.listBuckets(options)).error).toMatchObject(missing);
  expect((await analytics.deleteBucket("tables")).error).toMatchObject(missing);
  const catalog = analytics.from("tables");
  const namespace = ["main"];
  const id = { namespace, name: "sales" };
  const schema = { type: "struct" as const, fields: [], "schema-id": 0 };
  const table = { name: "sales", schema };
  const answers = await Promise.all([
    catalog.listNamespaces(),
    catalog.createNamespace({ namespace }),
    catalog.createNamespaceIfNotExists({ namespace }),
    catalog.loadNamespaceMetadata({ namespace }),
    catalog.dropNamespace({ namespace }),
    catalog.listTables({ namespace }),
    catalog.createTable({ namespace }, table),
    catalog.createTableIfNotExists({ namespace }, table),
    catalog.loadTable(id),
    catalog.updateTable(id, { requirements: [], updates: [] } as never),
    catalog.dropTable(id),
  ]);
  for (const { error } of answers) expect(error).toMatchObject(missing);
  expect(await good(catalog.namespaceExists({ namespace }))).toBe(false);
  expect(await good(catalog.tableExists(id))).toBe(false);
});

it("has no vectors", async () => {
  const { vectors } = storage;
  const bucket = vectors.from("vectors");
  const index = bucket.index("index");
  const data = { float32: [1, 2] };
  const answers = await Promise.all([
    vectors.createBucket("vectors"),
    vectors.getBucket("vectors"),
    vectors.listBuckets({ prefix: "v", maxResults: 1 }),
    vectors.deleteBucket("vectors"),
    bucket.createIndex({ indexName: "index", dataType: "float32", dimension: 2, distanceMetric: "cosine" }),
    bucket.getIndex("index"),
    bucket.listIndexes(),
    bucket.deleteIndex("index"),
    index.putVectors({ vectors: [{ key: "a", data }] }),
    index.getVectors({ keys: ["a"] }),
    index.listVectors({ segmentCount: 1, segmentIndex: 0 }),
    index.queryVectors({ queryVector: data, topK: 1 }),
    index.deleteVectors({ keys: ["a"] }),
  ]);
  for (const { error } of answers) expect(error).toMatchObject(missing);
});

it("throws and sends headers as requested", async () => {
  const strict = storage.from("papers").throwOnError();
  await expect(strict.info("none")).rejects.toMatchObject({ code: "NoSuchKey" });
  const other = storage.from("papers").setHeader("authorization", `Bearer ${world.bearer.anon}`);
  expect(await good(other.list("listed"))).toEqual([]);
  expect((await papers.info("listed/a.txt", { versionId: NOTHING })).error).toMatchObject({
    code: "NoSuchKey",
  });
});

it("has every client method called above", () => {
  expect(uncalled()).toEqual([]);
  expect(known()).toBeGreaterThan(60);
});
