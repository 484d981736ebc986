// The same guarantees as on disk, kept by an S3 service: s3rver, over HTTP, through the official SDK.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { alice, openStorage, type StorageWorld } from "../../../testing/storage/storage.ts";
import { type S3Settings, S3Store } from "./s3-store.ts";
import { sweep, YOUNG_MS } from "./sweeper.ts";

let home: string;
let s3: S3rver;
let store: S3Store;
let world: StorageWorld;

const placesIn = (folder: string) => {
  mkdirSync(join(home, folder), { recursive: true });
  return { staging: join(home, folder, "staging"), idFile: join(home, folder, "bucket-owner") };
};
const settingsOf = ({ httpServer }: S3rver): S3Settings => ({
  endpoint: `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`,
  bucket: "festival",
  key: "S3RVER",
  secret: "S3RVER",
  region: "us-east-1",
});

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "s3-test-"));
  const options = {
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: join(home, "s3"),
    configureBuckets: [{ name: "festival", configs: [] }],
  };
  s3 = new S3rver(options);
  await s3.run();
  store = new S3Store(settingsOf(s3), placesIn("shop"));
  world = await openStorage({ objectStore: store });
});
afterAll(async () => {
  await world?.close();
  await s3?.close();
  rmSync(home, { recursive: true, force: true });
});

async function* parts(...bytes: Buffer[]) {
  yield* bytes;
}
const bytesOf = async (version: string, range?: { start: number; end: number }) => {
  const body = await store.read(version, range);
  return body && Buffer.from(await new Response(body).arrayBuffer());
};

it("returns what was put, whole or in part, and reports when there is nothing", async () => {
  const version = randomUUID();
  const bytes = randomBytes(300_000);
  const stored = await store.put(version, parts(bytes.subarray(0, 7), bytes.subarray(7)));
  expect(stored).toMatchObject({ size: bytes.length, md5: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect((await bytesOf(version))!.equals(bytes)).toBe(true);
  expect((await bytesOf(version, { start: 5, end: 9 }))!.equals(bytes.subarray(5, 10))).toBe(true);
  expect([await store.has(version), await store.has(randomUUID())]).toEqual([true, false]);
  expect(await store.read(randomUUID())).toBeUndefined();
});

it("keeps nothing of a body that breaks off, neither in staging nor in the bucket", async () => {
  const version = randomUUID();
  async function* broken() {
    yield Buffer.from("half");
    throw new Error("gone");
  }
  await expect(store.put(version, broken())).rejects.toThrow("gone");
  expect(await store.has(version)).toBe(false);
  expect(readdirSync(join(home, "shop", "staging"))).toEqual([]);
});

it("copies, adopts files of this machine repeatedly, lists and removes", async () => {
  const [from, to, taken] = [randomUUID(), randomUUID(), randomUUID()];
  await store.put(from, parts(Buffer.from("text")));
  expect([await store.copy(from, to), await store.copy(randomUUID(), randomUUID())]).toEqual([true, false]);
  writeFileSync(join(home, "file"), "file");
  await store.adopt(taken, join(home, "file"));
  expect(await store.adopt(taken, join(home, "file"))).toMatchObject({ size: 4 });
  expect((await store.list(to.slice(0, 2))).map(({ version }) => version)).toContain(to);
  await store.remove([from, to, randomUUID()]);
  expect([await store.has(from), await store.has(to), await store.has(taken)]).toEqual([false, false, true]);
  await expect(store.read("../festival")).rejects.toThrow("UUID");
});

it("serves uploads, overwrites, ranges, pictures and removals of the service", async () => {
  const papers = world.clients.alice.storage.from("papers");
  const name = `${alice}/in-s3.txt`;
  expect((await papers.upload(name, "first")).error).toBeNull();
  expect((await papers.upload(name, "second", { upsert: true })).error).toBeNull();
  expect(await (await papers.download(name)).data!.text()).toBe("second");
  const { data } = await papers.createSignedUrl(name, 60);
  const part = await fetch(data!.signedUrl, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "eco"]);
  expect((await papers.copy(name, `${name}.copy`)).error).toBeNull();
  expect((await papers.remove([name, `${name}.copy`])).data).toHaveLength(2);
});

it("is swept like the disk", async () => {
  await world.clients.alice.storage.from("papers").upload(`${alice}/kept.txt`, "kept");
  await world.clients.alice.storage.from("papers").upload(`${alice}/lost.txt`, "lost");
  const version = async (name: string) =>
    (await world.clients.alice.storage.from("papers").info(`${alice}/${name}`)).data!.version;
  await store.remove([await version("lost.txt")]);
  const orphan = randomUUID();
  await store.put(orphan, parts(Buffer.from("orphan")));
  expect(await sweep(world.db.database, store, Date.now())).toEqual({
    removed: 0,
    left: 0,
    lost: [await version("lost.txt")],
  });
  const swept = await sweep(world.db.database, store, Date.now() + YOUNG_MS + 60_000);
  expect(swept.removed).toBeGreaterThan(0);
  expect([await store.has(orphan), await store.has(await version("kept.txt"))]).toEqual([false, true]);
});

it("is left untouched by the sweep of a copy, which has its own folder", async () => {
  await sweep(world.db.database, store, Date.now());
  const copyOfShop = new S3Store(settingsOf(s3), placesIn("copy"));
  const newer = randomUUID();
  await store.put(newer, parts(Buffer.from("sold after the copy was made")));
  const later = Date.now() + YOUNG_MS + 60_000;
  expect(await sweep(world.db.database, copyOfShop, later)).toMatchObject({ removed: 0, left: 1 });
  expect(await store.has(newer)).toBe(true);
  const restarted = new S3Store(settingsOf(s3), placesIn("shop"));
  expect(await sweep(world.db.database, restarted, later)).toMatchObject({ removed: 1, left: 0 });
});

it("fails an upload when the bucket does not exist, and keeps nothing of it", async () => {
  const other = new S3Store({ ...settingsOf(s3), bucket: "nowhere" }, placesIn("shop"));
  await expect(other.put(randomUUID(), parts(Buffer.from("x")))).rejects.toThrow();
  await expect(other.read(randomUUID())).rejects.toThrow();
});
