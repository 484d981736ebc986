// A private bucket through the official client: its objects, as they are and as pictures, are open to those the policies name and to
// holders of a signed address, for as long as it is valid.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alice, bob, openStorage, type StorageWorld } from "../../testing/storage/storage.ts";

const icon = (name: string) => readFileSync(join(import.meta.dirname, "../../../site/public", `${name}.png`));
const [first, second] = [icon("icon-192"), icon("gate-192")];
const name = `${alice}/picture.png`;
const transform = { width: 40 };
let world: StorageWorld;
let later = 0;

beforeAll(async () => {
  world = await openStorage({ clock: { now: () => Date.now() + later } });
});
afterAll(() => world?.close());
beforeEach(async () => {
  later = 0;
  await papers("alice").upload(name, first, { upsert: true, contentType: "image/png" });
});

type Who = keyof StorageWorld["clients"];
const papers = (who: Who) => world.clients[who].storage.from("papers");
const asked = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.ok ? bytes.toString("base64") : (JSON.parse(bytes.toString()) as { code: string }).code;
};
const shown = async (who: Who, options: { transform?: { width: number } }) => {
  const { data } = await papers(who).download(name, options);
  return data && Buffer.from(await data.arrayBuffer()).toString("base64");
};

describe.each([
  ["as it is", "object", {}],
  ["as a picture", "render/image", { transform }],
] as const)("a private object, %s", (_, door, options) => {
  /** The signed address, and for one version only. */
  const signed = async (seconds: number, versionId?: string) => {
    const { data, error } = await papers("alice").createSignedUrl(name, seconds, {
      ...options,
      ...(versionId ? { versionId } : {}),
    });
    expect(error).toBeNull();
    expect(data!.signedUrl).toContain(`/${door}/sign/`);
    return data!.signedUrl;
  };
  const query = "transform" in options ? "?width=40" : "";

  it("is open to whom a policy names, and to nobody else by any address", async () => {
    const own = await shown("alice", options);
    expect(own).toBeTypeOf("string");
    expect(await shown("service", options)).toBe(own);
    for (const who of ["bob", "anon"] as const) {
      expect(await shown(who, options)).toBeNull();
      expect((await papers(who).createSignedUrl(name, 60, options)).error).toMatchObject({
        message: "Object not found",
      });
    }
    const at = (access: string) => `${world.url}/storage/v1/${door}/${access}/papers/${name}${query}`;
    expect(await asked(at("public"))).toBe("NoSuchBucket");
    expect(await asked(papers("anon").getPublicUrl(name, options).data.publicUrl)).toBe("NoSuchBucket");
    expect(await asked(at("authenticated"))).toBe("NoSuchKey");
    const authorization = (who: Who) => ({ headers: { authorization: `Bearer ${world.bearer[who]}` } });
    expect(await asked(at("authenticated"), authorization("bob"))).toBe("NoSuchKey");
    expect(await asked(at("authenticated"), authorization("alice"))).toBe(own);
    expect(await asked(at("sign"))).toBe("InvalidRequest");
    const accessToken = `${query ? "&" : "?"}token=${world.bearer.alice}`;
    expect(await asked(at("sign") + accessToken)).toBe("InvalidJWT");
  });

  it("is open at a signed address until that expires", async () => {
    const url = await signed(60);
    later = 58_000;
    expect(await asked(url)).toBe(await shown("alice", options));
    later = 61_000;
    expect(await asked(url)).toBe("InvalidJWT");
    expect((await fetch(url, { method: "HEAD" })).status).toBe(400);
    expect(await asked(await signed(60))).toBe(await shown("alice", options));
  });

  it("is replaced at its signed address, as on storage-api, but not at that of a version", async () => {
    const { version } = (await papers("alice").info(name)).data!;
    const [any, exact] = [await signed(60), await signed(60, version)];
    const before = await shown("alice", options);
    expect([await asked(any), await asked(exact)]).toEqual([before, before]);
    await papers("alice").update(name, second, { contentType: "image/png" });
    const after = await shown("alice", options);
    expect(after).not.toBe(before);
    expect([await asked(any), await asked(exact)]).toEqual([after, "NoSuchKey"]);
  });

  it("is not open at a signed address once it is moved or removed", async () => {
    const url = await signed(60);
    await papers("alice").move(name, `${alice}/moved.png`);
    expect(await asked(url)).toBe("NoSuchKey");
    await papers("alice").move(`${alice}/moved.png`, name);
    expect(await asked(url)).toBe(await shown("alice", options));
    await papers("alice").remove([name]);
    expect(await asked(url)).toBe("NoSuchKey");
  });
});

it("a private object is neither described, listed, copied nor signed in a list to whom no policy names", async () => {
  for (const who of ["bob", "anon"] as const) {
    expect((await papers(who).info(name)).error).toMatchObject({ message: "Object not found" });
    expect((await papers(who).list(alice)).data).toEqual([]);
    expect((await papers(who).copy(name, `${bob}/copied.png`)).error).toMatchObject({
      message: "Object not found",
    });
    const { data } = await papers(who).createSignedUrls([name], 60);
    expect(data).toMatchObject([{ signedUrl: null, error: expect.stringContaining("do not have access") }]);
  }
});

it("addresses signed in a list expire too, and an upload's address after two hours", async () => {
  const { data } = await papers("alice").createSignedUrls([name], 60);
  const upload = (await papers("alice").createSignedUploadUrl(`${alice}/sent.txt`)).data!;
  const send = () => papers("anon").uploadToSignedUrl(upload.path, upload.token, "text");
  later = 61_000;
  expect(await asked(data![0]!.signedUrl!)).toBe("InvalidJWT");
  later = 2 * 60 * 60 * 1000 + 1000;
  expect((await send()).error).toMatchObject({ message: expect.stringContaining("exp") });
  later -= 3000;
  expect((await send()).error).toBeNull();
});
