import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alice, bob, openStorage, type StorageWorld } from "../../testing/storage.ts";
import { ServiceError } from "../platform/errors.ts";
import { createLog } from "../platform/log.ts";
import { createDiskStore, createStorage } from "./index.ts";

let world: StorageWorld;

beforeAll(async () => {
  world = await openStorage();
});

afterAll(() => world?.close());

const files = () => world.files();
type Who = keyof StorageWorld["clients"];
const papers = (who: Who) => world.clients[who].storage.from("papers");
const posters = (who: Who) => world.clients[who].storage.from("posters");

describe("buckets", () => {
  it("lets the service create, read, list, change, empty and delete one", async () => {
    const { storage } = world.clients.service;
    const options = { public: true, fileSizeLimit: "1KB", allowedMimeTypes: ["image/*"] };
    expect(await storage.createBucket("life", options)).toEqual({ data: { name: "life" }, error: null });
    const { data: bucket } = await storage.getBucket("life");
    expect(bucket).toMatchObject({
      id: "life",
      public: true,
      file_size_limit: 1000,
      allowed_mime_types: ["image/*"],
    });
    expect((await storage.listBuckets({ search: "e", limit: 3 })).data?.map((each) => each.id)).toEqual([
      "festival-pictures",
      "life",
      "papers",
    ]);

    const tooBig = await storage
      .from("life")
      .upload("big.png", new Uint8Array(1001), { contentType: "image/png" });
    expect(tooBig.error).toMatchObject({ status: 400, statusCode: "413", code: "EntityTooLarge" });
    const wrongType = await storage.from("life").upload("a.txt", "text", { contentType: "text/plain" });
    expect(wrongType.error).toMatchObject({
      statusCode: "415",
      message: "mime type text/plain is not supported",
    });

    expect((await storage.updateBucket("life", { public: false, fileSizeLimit: null })).error).toBeNull();
    expect((await storage.getBucket("life")).data).toMatchObject({
      public: false,
      file_size_limit: null,
      allowed_mime_types: ["image/*"],
    });
    await storage.from("life").upload("a.png", new Uint8Array(5), { contentType: "image/png" });
    expect((await storage.deleteBucket("life")).error).toMatchObject({ statusCode: "409" });
    expect((await storage.emptyBucket("life")).error).toBeNull();
    expect((await storage.deleteBucket("life")).error).toBeNull();
    expect((await storage.getBucket("life")).error).toMatchObject({
      statusCode: "404",
      message: "Bucket not found",
    });
    expect(files()).toBe(0);
  });

  it("refuses a bucket of an unsupported kind, and does not create an ordinary one instead", async () => {
    const { storage } = world.clients.service;
    const refused = { statusCode: "409", code: "FeatureNotEnabled" };
    const versioned = { public: false, versioningStatus: "ENABLED" } as const;
    expect((await storage.createBucket("odd", versioned)).error).toMatchObject({
      ...refused,
      message: "The feature versioning is not enabled for this resource",
    });
    const tables = await storage.createBucket("odd", { public: false, type: "ANALYTICS" });
    expect(tables.error).toMatchObject(refused);
    const unknown = await storage.createBucket("odd", { public: false, type: "LEDGER" });
    expect(unknown.error).toMatchObject({ statusCode: "400", code: "InvalidRequest" });
    expect((await storage.getBucket("odd")).error).toMatchObject({ statusCode: "404" });
    const plain = { public: false, type: "STANDARD", versioningStatus: "DISABLED" } as const;
    expect((await storage.createBucket("plain", plain)).error).toBeNull();
    for (const versioningStatus of ["ENABLED", "SUSPENDED"] as const) {
      const { error } = await storage.updateBucket("plain", { public: true, versioningStatus });
      expect(error).toMatchObject(refused);
    }
    expect((await storage.getBucket("plain")).data).toMatchObject({ public: false });
    expect((await storage.deleteBucket("plain")).error).toBeNull();
  });

  it("refuses strangers, duplicates and odd names in storage-api's words", async () => {
    const forbidden = await world.clients.anon.storage.createBucket("mine");
    expect(forbidden.error).toMatchObject({
      status: 400,
      statusCode: "403",
      message: "new row violates row-level security policy",
    });
    const { storage } = world.clients.service;
    expect((await storage.createBucket("papers")).error).toMatchObject({ statusCode: "409" });
    expect((await storage.createBucket("a/b")).error).toMatchObject({ message: "Bucket name invalid" });
  });
});

describe("uploads", () => {
  it("stores raw bodies and forms with their type, cache time and metadata", async () => {
    const raw = await papers("alice").upload(`${alice}/raw.txt`, "raw", {
      contentType: "text/plain",
      metadata: { colour: "red" },
    });
    expect(raw.data).toMatchObject({ path: `${alice}/raw.txt`, fullPath: `papers/${alice}/raw.txt` });
    const form = await papers("alice").upload(
      `${alice}/form (1).bin`,
      new Blob(["form"], { type: "image/png" }),
      { cacheControl: "60" },
    );
    expect(form.error).toBeNull();

    const info = await papers("alice").info(`${alice}/raw.txt`);
    expect(info.data).toMatchObject({
      id: raw.data!.id,
      size: 3,
      contentType: "text/plain",
      cacheControl: "max-age=3600",
      metadata: { colour: "red" },
    });
    const { data: blob } = await papers("alice").download(`${alice}/form (1).bin`);
    expect(await blob!.text()).toBe("form");
    expect(blob!.type).toBe("image/png");
  });

  it("refuses metadata that nests too deeply, in a form and in a header", async () => {
    const nested = (levels: number) => {
      let value: object = {};
      for (let level = 1; level < levels; level++) value = { in: value };
      return value as Record<string, unknown>;
    };
    const image = new Blob(["form"], { type: "image/png" });
    const upload = (body: Blob | string, levels: number) =>
      papers("alice").upload(`${alice}/nested-${levels}-${typeof body}`, body, {
        metadata: nested(levels),
        contentType: "image/png",
      });
    for (const body of [image, "raw"]) {
      expect((await upload(body, 64)).error).toBeNull();
      expect((await upload(body, 65)).error).toMatchObject({
        status: 400,
        message: "Invalid Metadata: nests too deeply",
      });
    }
  });

  describe("a form to a signed address", () => {
    const name = `${alice}/form.txt`;
    const field = (n: number) => `--edge\r\ncontent-disposition: form-data; name="${n}"\r\n\r\n\r\n`;
    const fields = (count: number) => Array.from({ length: count }, (_, n) => field(n)).join("");
    const file = (head = "") =>
      `--edge\r\n${head}content-disposition: form-data; name=""; filename="a"\r\n\r\nfile\r\n`;
    const put = async (body: string, boundary = "edge") => {
      const { data } = await papers("alice").createSignedUploadUrl(name, { upsert: true });
      const url = `${world.url}/storage/v1/object/upload/sign/papers/${name}?token=${data!.token}`;
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      const answer = await fetch(url, { method: "PUT", headers, body });
      const { statusCode, message } = (await answer.json()) as Record<string, string>;
      return [answer.status, statusCode, message];
    };

    it("stores its file, with up to ten fields", async () => {
      expect((await put(`${fields(10)}${file()}--edge--`))[0]).toBe(200);
      expect(await (await papers("alice").download(name)).data!.text()).toBe("file");
    });

    it.each([
      ["has more parts", `${fields(11)}${file()}--edge--`, "edge", "The form has too many parts"],
      [
        "has a part with a long head",
        `${file(`x: ${"y".repeat(17_000)}\r\n`)}--edge--`,
        "edge",
        "The head of a part is too long",
      ],
      [
        "never ends its head",
        `--edge\r\n${"x: y\r\n".repeat(3000)}`,
        "edge",
        "The head of a part is too long",
      ],
      [
        "names an empty boundary",
        `${file()}--edge--`.replaceAll("--edge", "--"),
        '""',
        "Multipart: Boundary not found",
      ],
      ["has no file", `${field(1)}--edge--`, "edge", "No file provided"],
    ])("is refused when it %s", async (_what, body, boundary, message) => {
      expect(await put(body, boundary)).toEqual([400, "400", message]);
    });

    it("is refused by its size before it is parsed, declared or streamed", async () => {
      const { storage } = world.clients.service;
      await storage.createBucket("small", { public: false, fileSizeLimit: 1000 });
      const padded = (size: number) => `${file().slice(0, -2)}${"x".repeat(size - 100)}\r\n--edge--`;
      const headers = {
        authorization: `Bearer ${world.bearer.service}`,
        "content-type": "multipart/form-data; boundary=edge",
        "x-upsert": "true",
      };
      const post = async (body: string | ReadableStream) => {
        const answer = await fetch(`${world.url}/storage/v1/object/small/a`, {
          method: "POST",
          headers,
          body,
          duplex: "half",
        });
        return ((await answer.json()) as { statusCode?: string }).statusCode;
      };
      const unparsable = "x".repeat(1000 + 64 * 1024);
      expect(await post(padded(900))).toBeUndefined();
      expect(await post(unparsable)).toBe("400");
      expect(await post(`${unparsable}x`)).toBe("413");
      expect(await post(new Blob([`${unparsable}x`]).stream())).toBe("413");
      await storage.emptyBucket("small");
      await storage.deleteBucket("small");
    });
  });

  it("refuses JSON that is too large or nests too deeply, whatever its type and the spelling of its path", async () => {
    const list = async (path: string, body: string) => {
      const headers = { authorization: `Bearer ${world.bearer.alice}`, "content-type": "image/png" };
      const answer = await fetch(`${world.url}/storage/v1/${path}`, { method: "POST", headers, body });
      const { statusCode, code } = (await answer.json()) as { statusCode?: string; code?: string };
      return [answer.status, statusCode, code];
    };
    const padded = (size: number) => `{"prefix":""${" ".repeat(size - 13)}}`;
    for (const path of ["object/list/papers", "object/%6cist/papers"]) {
      const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
      expect((await list(path, nested(64)))[0]).toBe(200);
      expect(await list(path, nested(65))).toEqual([400, "400", "InvalidRequest"]);
      expect((await list(path, padded(1024 * 1024)))[0]).toBe(200);
      expect(await list(path, padded(1024 * 1024 + 1))).toEqual([400, "413", "EntityTooLarge"]);
    }
  });

  it("refuses text that cannot be stored, wherever it arrives", async () => {
    const token = world.tokens.sign({ role: "service_role", exp: Math.floor(Date.now() / 1000) + 60 });
    const send = async (path: string, body: string | FormData, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${world.url}/storage/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...headers },
        body,
      });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    const bytes = { "content-type": "application/octet-stream" };
    const form = new FormData();
    form.append("metadata", '{"a":"\\u0000"}');
    form.append("", new Blob(["x"]), "a.txt");
    const typed = new FormData();
    typed.append("contentType", "a/b\0");
    typed.append("", new Blob(["x"]), "a.txt");
    const half = Buffer.from('{"a":"\\ud800"}').toString("base64");
    const before = files();
    const refused = await Promise.all([
      send("bucket", '\ufeff{"name":"odd","allowed_mime_types":["\\u0000"]}', bytes),
      send("object/list/papers", '{"prefix":"\\u0000"}', bytes),
      send(
        "object/copy",
        '{"bucketId":"papers","sourceKey":"a","destinationKey":"b","metadata":{"mimetype":"\\ud800"}}',
        bytes,
      ),
      send("object/move", '{"bucketId":"\\u0000","sourceKey":"a","destinationKey":"b"}', bytes),
      send("object/papers/odd.txt", form),
      send("object/papers/odd.txt", typed),
      send("object/papers/odd.txt", "x", { "x-metadata": half }),
    ]);
    expect(refused).toEqual(refused.map(() => [400, "InvalidRequest"]));
    expect(files()).toBe(before);
  });

  it("keeps the first file unless asked to replace it, and then removes it", async () => {
    const name = `${alice}/twice.txt`;
    const first = await papers("alice").upload(name, "one");
    const before = files();
    expect((await papers("alice").upload(name, "two")).error).toMatchObject({
      status: 400,
      statusCode: "409",
      message: "The resource already exists",
    });
    const second = await papers("alice").upload(name, "two", { upsert: true });
    expect(second.data?.id).toBe(first.data?.id);
    expect((await papers("alice").update(name, "three")).error).toBeNull();
    expect(await (await papers("alice").download(name)).data!.text()).toBe("three");
    expect(files()).toBe(before);
  });

  it("leaves one file and one row when many replace the same object at once", async () => {
    const name = `${alice}/contested.txt`;
    const before = files();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, at) => papers("alice").upload(name, `text ${at}`, { upsert: true })),
    );
    expect(results.every((result) => result.error === null)).toBe(true);
    expect(files()).toBe(before + 1);
    expect(await (await papers("alice").download(name)).data!.text()).toMatch(/^text \d$/);
  });

  it("refuses what policies refuse and invalid names, and stores nothing", async () => {
    const before = files();
    expect((await papers("bob").upload(`${alice}/x.txt`, "x")).error).toMatchObject({
      status: 400,
      statusCode: "403",
      message: "new row violates row-level security policy",
    });
    expect((await papers("bob").upload(`${alice}/raw.txt`, "x", { upsert: true })).error).not.toBeNull();
    expect((await papers("service").upload("a%b[c].txt", "x")).error).toMatchObject({ code: "InvalidKey" });
    expect((await world.clients.service.storage.from("nowhere").upload("x", "x")).error).toMatchObject({
      message: "Bucket not found",
    });
    expect(files()).toBe(before);
  });
});

describe("reading", () => {
  it("shows private objects to those the policies allow, and describes them to others as missing", async () => {
    const name = `${alice}/private.txt`;
    await papers("alice").upload(name, "secret");
    expect((await papers("alice").exists(name)).data).toBe(true);
    expect((await papers("bob").exists(name)).data).toBe(false);
    expect((await papers("bob").info(name)).error).toMatchObject({
      status: 400,
      statusCode: "404",
      message: "Object not found",
    });
    expect((await papers("anon").download(name)).error).not.toBeNull();
    expect(await (await papers("service").download(name)).data!.text()).toBe("secret");
    const hidden = await fetch(`${world.url}/storage/v1/object/public/papers/${name}`);
    expect(await hidden.json()).toMatchObject({ statusCode: "404", error: "Bucket not found" });
  });

  it("serves public objects with validators, ranges and without running them", async () => {
    await posters("service").upload("web/page.html", "<script>alert(1)</script>", {
      contentType: "text/html",
    });
    const { publicUrl } = posters("anon").getPublicUrl("web/page.html").data;
    const whole = await fetch(publicUrl);
    expect(whole.status).toBe(200);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "text/plain",
      "cache-control": "max-age=3600",
      "content-length": "25",
      "accept-ranges": "bytes",
      "content-security-policy": expect.stringContaining("frame-ancestors 'self'; sandbox"),
    });
    await whole.text();
    const etag = whole.headers.get("etag")!;
    expect((await fetch(publicUrl, { headers: { "if-none-match": etag } })).status).toBe(304);
    const since = whole.headers.get("last-modified")!;
    expect((await fetch(publicUrl, { headers: { "if-modified-since": since } })).status).toBe(304);
    expect((await fetch(publicUrl, { headers: { "if-none-match": '"other"' } })).status).toBe(200);

    const ranged = async (range: string) => {
      const response = await fetch(publicUrl, { headers: { range } });
      return [response.status, response.headers.get("content-range"), await response.text()];
    };
    expect(await ranged("bytes=1-6")).toEqual([206, "bytes 1-6/25", "script"]);
    expect(await ranged("bytes=-9")).toEqual([206, "bytes 16-24/25", "</script>"]);
    expect(await ranged("bytes=16-")).toEqual([206, "bytes 16-24/25", "</script>"]);
    expect((await ranged("bytes=99-"))[0]).toBe(400);

    const head = await fetch(publicUrl, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "25", ""]);
    const named = await fetch(
      posters("anon").getPublicUrl("web/page.html", { download: "p.txt" }).data.publicUrl,
    );
    expect(named.headers.get("content-disposition")).toBe(
      "attachment; filename=p.txt; filename*=UTF-8''p.txt;",
    );
    await named.text();
  });

  it("sends nothing that another server has deleted, replaced or made private", async () => {
    const service = world.db.database.asService("the test is another server");
    const place = (name: string) => posters("anon").getPublicUrl(name).data.publicUrl;
    const read = async (name: string) => {
      const response = await fetch(place(name));
      return response.ok ? await response.text() : ((await response.json()) as { code: string }).code;
    };
    for (const name of ["one.txt", "two.txt"]) await posters("service").upload(name, `of ${name}`);
    expect([await read("one.txt"), await read("one.txt")]).toEqual(["of one.txt", "of one.txt"]);

    await service.query(
      `update storage.objects set version = other.version, metadata = other.metadata
       from storage.objects other where objects.name = 'one.txt' and other.name = 'two.txt'`,
    );
    expect(await read("one.txt")).toBe("of two.txt");
    await service.query("delete from storage.objects where name = 'one.txt'");
    expect(await read("one.txt")).toBe("NoSuchKey");
    expect(await read("two.txt")).toBe("of two.txt");
    await service.query("update storage.buckets set public = false where id = 'posters'");
    expect(await read("two.txt")).toBe("NoSuchBucket");
    await service.query("update storage.buckets set public = true where id = 'posters'");
    await posters("service").remove(["two.txt"]);
    expect(await read("two.txt")).toBe("NoSuchKey");
  });

  it("answers each client of a crowd with its own object", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `crowd/${at}.txt`);
    for (const name of names) await posters("service").upload(name, name);
    const answers = await Promise.all(
      [...names, "crowd/none.txt", "../nobody/crowd/0.txt", "../papers/crowd/0.txt"].map(async (name) => {
        const response = await fetch(`${world.url}/storage/v1/object/public/posters/${name}`);
        return response.ok ? response.text() : ((await response.json()) as { code: string }).code;
      }),
    );
    expect(answers).toEqual([...names, "NoSuchKey", "NoSuchBucket", "NoSuchBucket"]);
  });

  it("answers a lost file as a missing object", async () => {
    await papers("alice").upload(`${alice}/lost.txt`, "x");
    const { rows } = await world.db.database
      .asService("the test loses a file")
      .query<{ version: string }>("select version from storage.objects where name like '%lost.txt'");
    await createDiskStore(world.directory).remove([rows[0]!.version]);
    expect((await papers("alice").download(`${alice}/lost.txt`)).error).not.toBeNull();
    const response = await fetch(`${world.url}/storage/v1/object/papers/${alice}/lost.txt`, {
      headers: { authorization: `Bearer ${world.tokens.sign({ role: "service_role" })}` },
    });
    expect(await response.json()).toMatchObject({ statusCode: "404", code: "NoSuchKey" });
  });

  it("answers a row without a file as a missing object", async () => {
    const service = world.db.database.asService("the test writes a row by hand");
    await service.query("insert into storage.objects (bucket_id, name) values ('posters', 'by-hand.txt')");
    const response = await fetch(posters("anon").getPublicUrl("by-hand.txt").data.publicUrl);
    expect(await response.json()).toMatchObject({ statusCode: "404", code: "NoSuchKey" });
    const { data } = await posters("service").upload("by-hand.txt", "now with bytes", { upsert: true });
    expect(data?.id).toBe((await posters("service").info("by-hand.txt")).data?.id);
    await service.query("update storage.objects set version = null where name = 'by-hand.txt'");
    expect((await posters("service").remove(["by-hand.txt"])).data).toHaveLength(1);
  });
});

describe("lists", () => {
  it("shows one folder: folders first, then objects, searched, sorted and paged", async () => {
    for (const name of ["list/b.txt", "list/a.txt", "list/c_1.txt", "list/sub/one.txt", "list/sub/two.txt"]) {
      await posters("service").upload(name, name);
    }
    const names = async (options?: Parameters<ReturnType<typeof posters>["list"]>[1]) =>
      (await posters("service").list("list", options)).data!.map((entry) => entry.name);
    expect(await names()).toEqual(["sub", "a.txt", "b.txt", "c_1.txt"]);
    expect(await names({ sortBy: { column: "name", order: "desc" } })).toEqual([
      "sub",
      "c_1.txt",
      "b.txt",
      "a.txt",
    ]);
    expect(await names({ sortBy: { column: "created_at", order: "asc" } })).toEqual([
      "sub",
      "b.txt",
      "a.txt",
      "c_1.txt",
    ]);
    expect(await names({ limit: 2, offset: 1 })).toEqual(["a.txt", "b.txt"]);
    expect(await names({ search: "C_" })).toEqual(["c_1.txt"]);
    const { data } = await posters("service").list("list");
    expect(data![0]).toMatchObject({ id: null, metadata: null });
    expect(data![1]).toMatchObject({
      id: expect.any(String),
      metadata: { size: 10, mimetype: expect.any(String) },
    });
    expect((await posters("bob").list("list")).data).toEqual([]);
  });

  it("lists only the object with exactly that name, and no folder", async () => {
    for (const name of ["exact/a.txt", "exact/a.txt/below", "exact/a.txt.old", "exact/a_txt"])
      await posters("service").upload(name, name);
    const names = async (path: string) =>
      (await posters("service").list(path, { exactMatch: true })).data!.map(({ name, id }) => [
        name,
        id !== null,
      ]);
    expect(await names("exact/a.txt")).toEqual([["a.txt", true]]);
    expect(await names("exact/a_txt")).toEqual([["a_txt", true]]);
    for (const path of ["exact", "exact/", "exact/a", ""]) expect(await names(path)).toEqual([]);
  });

  it("lists no noncurrent versions or delete markers", async () => {
    await posters("service").upload("unversioned/a.txt", "a");
    for (const option of ["noncurrentVersions", "deleteMarkers"] as const) {
      for (const [which, length] of [
        ["include", 1],
        ["exclude", 1],
        ["only", 0],
      ] as const) {
        const { data } = await posters("service").list("unversioned", { [option]: which });
        expect([option, which, data!.length]).toEqual([option, which, length]);
        const page = await posters("service").listV2({ prefix: "unversioned/", [option]: which });
        expect(page.data).toMatchObject({ hasNext: false, folders: [] });
        expect(page.data!.objects).toHaveLength(length);
      }
    }
  });
});

describe("changes", () => {
  it("moves and copies within what the caller may do", async () => {
    await papers("alice").upload(`${alice}/from.txt`, "text");
    expect((await papers("bob").move(`${alice}/from.txt`, `${bob}/stolen.txt`)).error).toMatchObject({
      message: "Object not found",
    });
    expect((await papers("bob").copy(`${alice}/from.txt`, `${bob}/stolen.txt`)).error).not.toBeNull();
    expect((await papers("alice").move(`${alice}/from.txt`, `${alice}/to.txt`)).data).toEqual({
      message: "Successfully moved",
    });
    expect((await papers("alice").copy(`${alice}/to.txt`, `${alice}/copy.txt`)).data).toEqual({
      path: `papers/${alice}/copy.txt`,
    });
    expect((await papers("alice").copy(`${alice}/to.txt`, `${alice}/copy.txt`)).error).toMatchObject({
      statusCode: "409",
    });
    await papers("alice").remove([`${alice}/to.txt`]);
    expect(await (await papers("alice").download(`${alice}/copy.txt`)).data!.text()).toBe("text");
  });

  it("removes what policies allow and returns what that was", async () => {
    const name = `${alice}/bin.txt`;
    await papers("alice").upload(name, "x");
    const before = files();
    expect((await papers("bob").remove([name])).data).toEqual([]);
    expect((await papers("alice").remove([name, `${alice}/never.txt`])).data).toMatchObject([
      { name, bucket_id: "papers", owner: alice },
    ]);
    expect(files()).toBe(before - 1);
  });
});

describe("signed addresses", () => {
  it("open one object for a while to their holders", async () => {
    const name = `${alice}/signed.txt`;
    await papers("alice").upload(name, "for you");
    const { data } = await papers("alice").createSignedUrl(name, 60);
    const opened = await fetch(data!.signedUrl);
    expect(await opened.text()).toBe("for you");
    expect(opened.headers.get("expires")).not.toBeNull();

    const elsewhere = await fetch(data!.signedUrl.replace("signed.txt", "raw.txt"));
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([400, { error: "InvalidSignature" }]);
    const forged = await fetch(`${data!.signedUrl}x`);
    expect(await forged.json()).toMatchObject({ statusCode: "400", error: "InvalidJWT" });
    expect((await papers("bob").createSignedUrl(name, 60)).error).toMatchObject({
      message: "Object not found",
    });
    const token = new URL(data!.signedUrl).searchParams.get("token")!;
    expect(await world.tokens.verify(token)).toBe("invalid"); // a link is no access token

    const { data: several } = await papers("alice").createSignedUrls([name, "nothing"], 60);
    expect(several!.map((each) => each.error)).toEqual([
      null,
      "Either the object does not exist or you do not have access to it",
    ]);
    expect(await (await fetch(several![0]!.signedUrl!)).text()).toBe("for you");
  });

  it("let a visitor without rights upload one object in the signer's name", async () => {
    const name = `${alice}/sent.txt`;
    expect((await papers("bob").createSignedUploadUrl(name)).error).not.toBeNull();
    const { data } = await papers("alice").createSignedUploadUrl(name);
    const sent = await papers("anon").uploadToSignedUrl(name, data!.token, "sent");
    expect(sent.data).toMatchObject({ fullPath: `papers/${name}` });
    expect(await (await papers("alice").download(name)).data!.text()).toBe("sent");
    const again = await papers("anon").uploadToSignedUrl(name, data!.token, "sent");
    expect(again.error).toMatchObject({ statusCode: "409" });
    const elsewhere = await papers("anon").uploadToSignedUrl(`${alice}/other.txt`, data!.token, "x");
    expect(elsewhere.error).toMatchObject({ code: "InvalidSignature" });
  });
});

describe("the rest of the client's calls", () => {
  it("answers a bad bearer token with 400, a status code and an error", async () => {
    const storage = createStorage({
      secret: "s",
      renders: "",
      uploads: "",
      log: createLog("silent"),
    } as Parameters<typeof createStorage>[0]);
    for (const code of ["token_expired", "invalid_token"]) {
      const answer = storage.renderError(new ServiceError(401, code, "JWT expired"));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { statusCode: "403", error: "Unauthorized", code: "AccessDenied", message: "JWT expired" },
      ]);
    }
  });

  it("reports that it is healthy and which storage-api it follows", async () => {
    const ask = async (path: string) => {
      const response = await fetch(`${world.url}/storage/v1/${path}`);
      return [response.status, await response.text()];
    };
    expect(await ask("status")).toEqual([200, ""]);
    expect(await ask("version")).toEqual([200, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  });

  it("describes an object with its tag and empty metadata where none was given", async () => {
    await papers("alice").upload(`${alice}/plain.txt`, "plain");
    const { data } = await papers("alice").info(`${alice}/plain.txt`);
    expect(data).toMatchObject({ metadata: {}, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
    const url = `${world.url}/storage/v1/object/info/authenticated/papers/${alice}/plain.txt`;
    const head = await fetch(url, {
      method: "HEAD",
      headers: { authorization: `Bearer ${world.bearer.alice}` },
    });
    expect([head.status, head.headers.get("etag")]).toEqual([200, data!.etag]);
  });

  it.each([
    ["type", { contentType: "text/plain\r\nx: y" }],
    ["type beyond Latin-1", { contentType: "text/\u20ac" }],
    ["time to keep it", { cacheControl: "1\r\nx: y" }],
    ["encoding", { contentEncoding: "gz\u20acip" }],
  ])("refuses a file whose %s does not fit into a header", async (_, said) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(said)) form.append(name, value);
    form.append("", new Blob(["x"]), "a.txt");
    const send = (name: string, body: FormData) =>
      fetch(`${world.url}/storage/v1/object/papers/${alice}/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${world.bearer.alice}` },
        body,
      });
    const before = files();
    expect((await send("unreadable.txt", form)).status).toBe(400);
    expect(files()).toBe(before);
  });

  it("copies the file's headers and its user metadata, or takes those of the request instead", async () => {
    const [cacheControl, contentEncoding, metadata] = ["60", "gzip", { by: "hand" }];
    const options = { cacheControl, contentEncoding, metadata, contentType: "text/plain" };
    await posters("service").upload("said.txt", "said", options);
    const copied = async (copy: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${world.url}/storage/v1/object/copy`, {
        method: "POST",
        headers: { authorization: `Bearer ${world.bearer.service}`, "x-upsert": "true", ...headers },
        body: JSON.stringify({
          ...{ bucketId: "posters", sourceKey: "said.txt", destinationKey: "said-again.txt", ...copy },
        }),
      });
      expect(answer.status).toBe(200);
      const { data } = await posters("service").info("said-again.txt");
      return [data!.contentType, data!.cacheControl, data!.contentEncoding, data!.metadata];
    };
    const own = { "x-metadata": Buffer.from('{"by":"copier"}').toString("base64") };
    expect(await copied({})).toEqual(["text/plain", "max-age=60", "gzip", metadata]);
    expect(await copied({ metadata: { mimetype: "image/png" } }, own)).toEqual([
      ...["text/plain", "max-age=60", "gzip", metadata],
    ]);
    expect(await copied({ copyMetadata: false })).toEqual(["text/plain", "max-age=60", "gzip", {}]);
    expect(await copied({ copyMetadata: false }, own)).toEqual([
      ...["text/plain", "max-age=60", "gzip", { by: "copier" }],
    ]);
    const instead = { mimetype: "image/png", cacheControl: "no-store", contentEncoding: "" };
    expect(await copied({ copyMetadata: false, metadata: instead })).toEqual([
      "image/png",
      "no-store",
      null,
      {},
    ]);
    const { error } = await posters("service").copy("said.txt", "said-to-client.txt", {
      copyMetadata: false,
      metadata: { contentEncoding: "br" },
    });
    expect(error).toBeNull();
    expect((await posters("service").info("said-to-client.txt")).data).toMatchObject({
      contentEncoding: "br",
    });
  });

  it("refuses a copy with a type that does not fit into a header", async () => {
    await posters("service").upload("typed.txt", "typed");
    const answer = await fetch(`${world.url}/storage/v1/object/copy`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.bearer.service}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ bucketId: "posters", sourceKey: "typed.txt", destinationKey: "copied.txt", copyMetadata: false },
        metadata: { mimetype: "text/plain\r\nx: y" },
      }),
    });
    expect(answer.status).toBe(400);
    expect((await posters("anon").download("copied.txt")).error).not.toBeNull();
  });

  it("accepts two simultaneous uploads to one signed address, and asks a third to wait", async () => {
    const name = `${alice}/at-once.bin`;
    const { data } = await papers("alice").createSignedUploadUrl(name);
    const url = `${world.url}/storage/v1/object/upload/sign/papers/${name}?token=${data!.token}`;
    const before = files();
    const sending = [1, 2].map(() => {
      const call = request(url, { method: "PUT", headers: { "content-length": "4" } }).on("error", () => {});
      call.write("ab");
      return call;
    });
    await expect.poll(files).toBe(before + 2);
    expect((await fetch(url, { method: "PUT", body: "third" })).status).toBe(503);
    for (const call of sending) call.destroy();
    await expect.poll(async () => (await fetch(url, { method: "PUT", body: "last" })).status).toBe(200);
    expect(await (await papers("alice").download(name)).data!.text()).toBe("last");
  });

  it("signs no address beyond the last date, and refuses dot segments in an object's name", async () => {
    await posters("service").upload("dated.txt", "dated");
    expect((await posters("service").createSignedUrl("dated.txt", 9e15)).error).toMatchObject({
      status: 400,
    });
    const long = await posters("service").createSignedUrl("dated.txt", 3e9);
    const { headers } = await fetch(long.data!.signedUrl);
    expect(Date.parse(headers.get("expires")!)).toBeGreaterThan(Date.now());
    for (const to of ["../out.txt", "a/../b.txt", "."]) {
      const { error } = await posters("service").move("dated.txt", to);
      expect(error).toMatchObject({ status: 400, code: "InvalidKey" });
    }
  });

  it("answers for an object's current version, and for no other", async () => {
    const name = `${alice}/versioned.txt`;
    await papers("alice").upload(name, "first");
    const { version: versionId } = (await papers("alice").info(name)).data!;
    const other = { versionId: "00000000-0000-4000-8000-000000000000" };
    expect(await (await papers("alice").download(name, { versionId: versionId })).data!.text()).toBe("first");
    expect((await papers("alice").download(name, other)).error).not.toBeNull();
    expect((await papers("alice").info(name, other)).error).toMatchObject({ message: "Object not found" });
    const moved = await papers("alice").move(name, `${name}.2`, { sourceVersionId: other.versionId });
    expect(moved.error).toMatchObject({ message: "Object not found" });
    const { data } = await papers("alice").createSignedUrl(name, 60, { versionId });
    expect(await (await fetch(data!.signedUrl)).text()).toBe("first");
    await papers("alice").update(name, "second");
    for (const address of [data!.signedUrl, `${data!.signedUrl}&versionId=${other.versionId}`]) {
      const gone = await fetch(address);
      expect([gone.status, await gone.json()]).toMatchObject([400, { code: "NoSuchKey" }]);
    }
    const { version } = (await papers("alice").info(name)).data!;
    const late = await fetch(`${data!.signedUrl}&versionId=${version}`);
    expect(late.status).toBe(400);
    expect((await papers("alice").createSignedUrl(name, 60, { versionId })).error).not.toBeNull();
    expect((await papers("alice").remove([{ path: name, ...other }])).data).toEqual([]);
    expect((await papers("alice").remove([{ path: name, versionId: version }])).data).toHaveLength(1);
  });

  it("has no versions, shared cache, tables or vectors, and answers like a service without them", async () => {
    const { storage } = world.clients.service;
    expect((await storage.getBucketLifecycle("papers")).error).toMatchObject({ code: "FeatureNotEnabled" });
    expect((await posters("service").purgeCache("a.png")).error).toMatchObject({ code: "MissingParameter" });
    expect((await storage.analytics.listBuckets()).error).toMatchObject({ status: 404 });
    expect((await storage.vectors.listBuckets()).error).toMatchObject({ status: 404 });
  });

  it("refuses a request whose conditions name another state of the object", async () => {
    await posters("service").upload("meant.txt", "meant");
    const { publicUrl } = posters("anon").getPublicUrl("meant.txt").data;
    const ask = async (headers: Record<string, string>) => (await fetch(publicUrl, { headers })).status;
    const { headers } = await fetch(publicUrl);
    const [etag, since] = [headers.get("etag")!, headers.get("last-modified")!];
    expect(await ask({ "if-match": etag })).toBe(200);
    expect(await ask({ "if-match": '"other"' })).toBe(400);
    expect(await ask({ "if-unmodified-since": since })).toBe(200);
    expect(await ask({ "if-unmodified-since": "Mon, 01 Jan 2024 00:00:00 GMT" })).toBe(400);
    expect(await ask({ range: "bytes=0-0", "if-range": since })).toBe(206);
    expect(await ask({ range: "bytes=0-0", "if-range": '"other"' })).toBe(200);
    expect(await ask({ range: "bytes=0-0,2-3" })).toBe(200);
    expect(await ask({ "if-none-match": `W/${etag}, "x"` })).toBe(304);
  });
});
