// The service as a whole, its buckets, and what is moved, copied and removed in them.
import { describe, expect, it } from "vitest";
import { alice, bob, useStorage } from "../../testing/storage/storage.ts";
import { ServiceError } from "../platform/errors.ts";
import { createLog } from "../platform/log.ts";
import { createStorage } from "./index.ts";

const { world, papers, posters, files } = await useStorage();

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

  it("names as its owner the account that made it, and nobody for a subject that is no account", async () => {
    const service = world.db.database.asService("the test looks at owners");
    await service.query(
      "insert into storage.buckets (id, name, owner, owner_id) values ('made', 'made', $1::uuid, $1::text), ('odd-owner', 'odd-owner', null, 'robot')",
      [alice],
    );
    const ownerOf = async (id: string) => (await world.clients.service.storage.getBucket(id)).data?.owner;
    expect([await ownerOf("made"), await ownerOf("odd-owner")]).toEqual([alice, ""]);
    await service.query("delete from storage.buckets where id in ('made', 'odd-owner')");
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
});

describe("the service", () => {
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

  it("has no versions, shared cache, tables or vectors, and answers like a service without them", async () => {
    const { storage } = world.clients.service;
    expect((await storage.getBucketLifecycle("papers")).error).toMatchObject({ code: "FeatureNotEnabled" });
    expect((await posters("service").purgeCache("a.png")).error).toMatchObject({ code: "MissingParameter" });
    expect((await storage.analytics.listBuckets()).error).toMatchObject({ status: 404 });
    expect((await storage.vectors.listBuckets()).error).toMatchObject({ status: 404 });
  });
});
