// Reading objects, listing them, and the signed addresses that open one to their holders.
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { alice, useStorage } from "../../testing/storage/storage.ts";
import { createDiskStore } from "./index.ts";

const { world, papers, posters, files } = await useStorage();

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
});
