// Transformed pictures through the official client and plain HTTP, from public and private buckets.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DrawingProcess } from "./drawing-process.ts";
import { alice, openStorage, type StorageWorld } from "../../../testing/storage/storage.ts";

let world: StorageWorld;
const photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: "#d7263d" } })
  .jpeg()
  .toBuffer();

beforeAll(async () => {
  world = await openStorage();
  await posters("service").upload("photo.jpg", photo, { contentType: "image/jpeg" });
  await papers("alice").upload(`${alice}/photo.jpg`, photo, { contentType: "image/jpeg" });
});
afterAll(() => world?.close());

type Who = keyof StorageWorld["clients"];
const papers = (who: Who) => world.clients[who].storage.from("papers");
const posters = (who: Who) => world.clients[who].storage.from("posters");

const seen = async (bytes: ArrayBuffer) => {
  const { width, height, format } = await sharp(Buffer.from(bytes)).metadata();
  return [width, height, format];
};
const render = (query: string, init: RequestInit = {}, path = "public/posters/photo.jpg") =>
  fetch(`${world.url}/storage/v1/render/image/${path}?${query}`, init);
const renders = () => join(world.directory, "..", "renders");

describe("a transformed picture", () => {
  it("has the requested size, format and headers, for everybody in a public bucket", async () => {
    const { publicUrl } = posters("anon").getPublicUrl("photo.jpg", {
      transform: { width: 300, height: 300, quality: 50 },
    }).data;
    const response = await fetch(publicUrl);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "x-transformations": "height:300,width:300,resizing_type:fill,quality:50",
      "cache-control": "max-age=3600",
      vary: "accept",
      "content-security-policy": expect.stringContaining("sandbox"),
    });
    expect(await seen(await response.arrayBuffer())).toEqual([300, 300, "jpeg"]);
    const webp = await render("width=100", { headers: { accept: "image/avif,image/webp,*/*" } });
    expect([webp.headers.get("content-type"), await seen(await webp.arrayBuffer())]).toEqual([
      "image/webp",
      [100, 67, "webp"],
    ]);
    const origin = await render("width=100&format=origin", { headers: { accept: "image/webp" } });
    expect([origin.headers.get("content-type"), origin.headers.get("vary")]).toEqual(["image/jpeg", null]);
  });

  it("is AVIF only where its bucket allows it, and WebP otherwise", async () => {
    const formatOf = async () =>
      (await seen(await (await render("width=50&format=avif")).arrayBuffer())).at(-1);
    expect(await formatOf()).toBe("webp");
    const allow = (isAllowed: boolean) =>
      world.db.database
        .asService("the test's bucket")
        .query("update storage.buckets set avif_autodetection = $1 where id = 'posters'", [isAllowed]);
    await allow(true);
    expect(await formatOf()).toBe("heif");
    await allow(false);
  });

  it("is made once for qualities that nobody can tell apart", async () => {
    const [one, other, next] = await Promise.all(
      [46, 54, 56].map(async (quality) => (await render(`width=51&quality=${quality}`)).headers.get("etag")),
    );
    expect(other).toBe(one);
    expect(next).not.toBe(one);
  });

  it("is shown in a private bucket to those to whom the policies show the object", async () => {
    const transform = { width: 60, resize: "contain" } as const;
    const own = await papers("alice").download(`${alice}/photo.jpg`, { transform });
    expect(await seen(await own.data!.arrayBuffer())).toEqual([60, 40, "jpeg"]);
    expect((await papers("bob").download(`${alice}/photo.jpg`, { transform })).error).not.toBeNull();
    const hidden = await render("width=60", {}, `public/papers/${alice}/photo.jpg`);
    expect(await hidden.json()).toMatchObject({ statusCode: "404", error: "Bucket not found" });
  });

  it("is requested like any other read: with the request's headers, in its address's turn", async () => {
    await world.db.database.asService("the test's policy").query(`
      create policy "Whoever says the word reads" on storage.objects for select to authenticated
        using (current_setting('request.headers')::json->>'x-word' = 'swordfish')`);
    const asked = vi.spyOn(world.db.database, "run");
    const path = `authenticated/papers/${alice}/photo.jpg`;
    const saying = async (word: string) => {
      const headers = { authorization: `Bearer ${world.bearer.bob}`, "x-word": word };
      const response = await render("width=60", { headers }, path);
      return response.ok ? await seen(await response.arrayBuffer()) : await response.json();
    };
    expect(await saying("haddock")).toMatchObject({ code: "NoSuchKey" });
    expect(await saying("swordfish")).toEqual([60, 40, "jpeg"]);
    expect(asked.mock.calls.map(([caller]) => caller.address)).toEqual(["127.0.0.1", "127.0.0.1"]);
    asked.mockRestore();
  });

  it("is bound to a signed address, which opens neither another one nor the object", async () => {
    const { data } = await papers("alice").createSignedUrl(`${alice}/photo.jpg`, 60, {
      transform: { width: 90 },
    });
    expect(data!.signedUrl).toContain("/render/image/sign/");
    const opened = await fetch(`${data!.signedUrl}&width=500`);
    expect(await seen(await opened.arrayBuffer())).toEqual([90, 60, "jpeg"]);
    expect(opened.headers.get("expires")).not.toBeNull();
    const whole = await fetch(data!.signedUrl.replace("/render/image/sign/", "/object/sign/"));
    expect([whole.status, await whole.json()]).toMatchObject([400, { error: "InvalidSignature" }]);
    const forged = await fetch(`${data!.signedUrl}x`);
    expect(await forged.json()).toMatchObject({ error: "InvalidJWT" });
  });

  it("shows the version that was signed, and no later one", async () => {
    const name = `${alice}/replaced.jpg`;
    const bytes = await (await papers("alice").download(`${alice}/photo.jpg`)).data!.bytes();
    await papers("alice").upload(name, bytes, { contentType: "image/jpeg" });
    const { version: versionId } = (await papers("alice").info(name)).data!;
    const { data } = await papers("alice").createSignedUrl(name, 60, { versionId, transform: { width: 30 } });
    expect((await fetch(data!.signedUrl)).status).toBe(200);
    await papers("alice").update(name, bytes, { contentType: "image/jpeg" });
    expect(await (await fetch(data!.signedUrl)).json()).toMatchObject({ code: "NoSuchKey" });
  });

  it("answers conditions and ranges with its own tag", async () => {
    const first = await render("width=100");
    const bytes = Buffer.from(await first.arrayBuffer());
    const etag = first.headers.get("etag")!;
    expect(etag).not.toBe((await render("width=101")).headers.get("etag"));
    expect((await render("width=100", { headers: { "if-none-match": etag } })).status).toBe(304);
    const part = await render("width=100", { headers: { range: "bytes=0-9", "if-range": etag } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(0, 10)]);
    const head = await render("width=100", { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
  });

  it("is kept on disk until its object is overwritten or removed", async () => {
    const name = "changing.png";
    const square = (background: string) =>
      sharp({ create: { width: 40, height: 40, channels: 3, background } })
        .png()
        .toBuffer();
    await posters("service").upload(name, await square("#ff0000"), { contentType: "image/png" });
    const version = async () => (await posters("service").info(name)).data!.version;
    const before = await version();
    await render("width=20", {}, `public/posters/${name}`).then((response) => response.arrayBuffer());
    expect(readdirSync(join(renders(), before))).toHaveLength(1);
    await posters("service").update(name, await square("#0000ff"), { contentType: "image/png" });
    expect(existsSync(join(renders(), before))).toBe(false);
    const response = await render("width=20", {}, `public/posters/${name}`);
    const { dominant } = await sharp(Buffer.from(await response.arrayBuffer())).stats();
    expect(dominant.b).toBeGreaterThan(200);
    const after = await version();
    await posters("service").remove([name]);
    expect(existsSync(join(renders(), after))).toBe(false);
  });

  it("is upright and contains no location data", async () => {
    const sideways = await sharp(photo)
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Copyright: "secret place" } })
      .jpeg()
      .toBuffer();
    await posters("service").upload("sideways.jpg", sideways, { contentType: "image/jpeg" });
    const response = await render("width=100", {}, "public/posters/sideways.jpg");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(await seen(bytes.buffer)).toEqual([100, 150, "jpeg"]);
    expect(bytes.includes("secret place")).toBe(false);
  });
});

describe("a file that is not a transformable picture", () => {
  /** A PNG of a few kilobytes with this many pixels, as its header states. */
  const bomb = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: "black" }, limitInputPixels: false })
      .png({ compressionLevel: 9 })
      .toBuffer();

  it("is refused in imgproxy's words, whatever type it claims", async () => {
    const liar = await sharp({ create: { width: 9, height: 9, channels: 3, background: "black" } })
      .tiff()
      .toBuffer();
    const sources: Record<string, Buffer> = {
      "lie.png": Buffer.from("<html><script>alert(1)</script></html>"),
      "svg.png": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'),
      "tiff.png": liar,
      "empty.png": Buffer.alloc(0),
      "bomb.png": await bomb(9000, 9000),
      "wide.png": await bomb(16_385, 40),
      "high.png": await bomb(40, 16_385),
    };
    for (const [name, bytes] of Object.entries(sources)) {
      await posters("service").upload(name, bytes, { contentType: "image/png" });
      const response = await render("width=10", {}, `public/posters/${name}`);
      expect([name, response.status, await response.json()]).toMatchObject([
        ...[name, 400, { statusCode: "422", code: "InvalidRequest", message: "Invalid source image" }],
      ]);
    }
  });

  it("is called broken where only its beginning is a picture's", async () => {
    const starts = {
      "head.png": Buffer.from("\x89PNG\r\n\x1a\n and then words", "latin1"),
      "head.jpg": Buffer.from("\xff\xd8\xff\xe0 and then words", "latin1"),
      "head.gif": Buffer.from("GIF89a and then words"),
    };
    for (const [name, bytes] of Object.entries(starts)) {
      await posters("service").upload(name, bytes, { contentType: "image/png" });
      const response = await render("width=10", {}, `public/posters/${name}`);
      expect([name, response.status, await response.json()]).toMatchObject([
        ...[name, 400, { statusCode: "422", code: "InvalidRequest", message: "Broken or unsupported image" }],
      ]);
    }
  });

  it("is drawn as far as it can be read", async () => {
    const png = await sharp(photo).png().toBuffer();
    const wrongSum = Buffer.from(png);
    wrongSum[wrongSum.length - 17]! ^= 1; // in the checksum of the last data
    const damaged = {
      "cut.jpg": photo.subarray(0, (photo.length * 2) / 3),
      "cut.png": png.subarray(0, (png.length * 2) / 3),
      wrongSum,
    };
    for (const [name, bytes] of Object.entries(damaged)) {
      await posters("service").upload(name, bytes, { contentType: "image/png" });
      const response = await render("width=30", {}, `public/posters/${name}`);
      const [width, height] = await seen(await response.arrayBuffer());
      expect([name, response.status, width, height]).toEqual([name, 200, 30, 20]);
    }
  });

  it.each([
    "width=-1",
    "width=1.5",
    "width=x",
    "quality=10",
    "quality=101",
    "resize=grow",
    "format=svg",
    "height=NaN",
  ])("an invalid transformation %s is refused too", async (query) => {
    const response = await render(query);
    expect([response.status, await response.json()]).toMatchObject([400, { error: "InvalidRequest" }]);
  });

  it("a missing object is reported as missing", async () => {
    const response = await render("width=10", {}, "public/posters/nothing.png");
    expect(await response.json()).toMatchObject({ statusCode: "404", code: "NoSuchKey" });
  });
});

it("makes one picture for any number of equal requests, and answers SlowDown when too many differ", async () => {
  const same = await Promise.all(Array.from({ length: 40 }, () => render("width=77")));
  expect(new Set(same.map((response) => response.status))).toEqual(new Set([200]));
  await Promise.all(same.map((response) => response.arrayBuffer()));
  const { version } = (await posters("service").info("photo.jpg")).data!;
  const before = readdirSync(join(renders(), version)).length;
  const rush = await Promise.all(
    Array.from({ length: 40 }, (_, at) => render(`width=${200 + at}&format=avif`)),
  );
  const statuses = rush.map((response) => response.status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(10);
  expect(rush.find((response) => response.status === 503)?.headers.get("retry-after")).toBe("1");
  await Promise.all(rush.map((response) => response.arrayBuffer()));
  expect(readdirSync(join(renders(), version)).length).toBeGreaterThan(before);
});

it("is refused with 429 and the wait once its address has used up its share of the processor", async () => {
  const drawn = vi
    .spyOn(DrawingProcess.prototype, "draw")
    .mockImplementation(async (_bytes, _rendering, spend) => {
      spend!(40_000);
      return { bytes: photo, format: "jpeg" };
    });
  expect((await render("width=411")).status).toBe(200);
  const refused = await render("width=412");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await refused.json()).toMatchObject({
    statusCode: "429",
    code: "TooManyRequests",
    message: "Too many pictures were made for this address. Try again in 60 seconds.",
  });
  drawn.mockRestore();
});
