// What may be uploaded, by whom, and what a refused upload leaves behind: nothing.
import { describe, expect, it } from "vitest";
import { alice, useStorage } from "../../testing/storage/storage.ts";

const { world, papers, files } = await useStorage();

describe("uploads", () => {
  it("stores raw bodies and forms with their type, cache time and metadata", async () => {
    const raw = await papers("alice").upload(`${alice}/raw.txt`, "raw", {
      contentType: "text/plain",
      metadata: { color: "red" },
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
      metadata: { color: "red" },
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
});
