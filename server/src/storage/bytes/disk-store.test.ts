import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createDiskStore } from "./disk-store.ts";
import type { ObjectStore } from "./object-store.ts";

let directory: string;
let store: ObjectStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "object-store-test-"));
  store = createDiskStore(join(directory, "storage"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const files = () =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

const text = async (version: string, range?: { start: number; end: number }) => {
  const body = await store.read(version, range);
  return body && new Response(body).text();
};

it("returns what was put, whole or in part, with size and MD5", async () => {
  const version = randomUUID();
  expect(await store.put(version, chunks("hel", "lo"))).toEqual({
    size: 5,
    md5: "5d41402abc4b2a76b9719d911017c592",
  });
  expect(await text(version)).toBe("hello");
  expect(await text(version, { start: 1, end: 3 })).toBe("ell");
});

it("keeps nothing of a body that breaks off", async () => {
  const version = randomUUID();
  async function* broken() {
    yield Buffer.from("half");
    throw new Error("gone");
  }
  await expect(store.put(version, broken())).rejects.toThrow("gone");
  expect(files()).toEqual([]);
  expect(await store.read(version)).toBeUndefined();
});

it("makes independent copies, and reports when there are no bytes", async () => {
  const [from, to] = [randomUUID(), randomUUID()];
  await store.put(from, chunks("text"));
  expect(await store.copy(from, to)).toBe(true);
  await store.remove([from, randomUUID()]);
  expect(await text(to)).toBe("text");
  expect(await store.copy(from, randomUUID())).toBe(false);
  expect(files()).toEqual([to]);
});

it("has no files with names other than versions", async () => {
  await expect(store.put("../../etc/passwd", chunks("x"))).rejects.toThrow("UUID");
  await expect(store.read("..")).rejects.toThrow("UUID");
});
