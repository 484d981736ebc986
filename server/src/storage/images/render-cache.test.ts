import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RenderCache } from "./render-cache.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "render-cache-test-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const picture = (size: number) => ({ bytes: Buffer.alloc(size, 7), format: "webp" }) as const;
const has = async (cache: RenderCache, version: string) =>
  (await cache.get(version, "x", ["webp"])) !== undefined;

it("evicts the least recently used for the newest, also after a restart", async () => {
  const cache = new RenderCache(directory, 40_000);
  for (const version of ["a", "b", "c", "d", "e", "f", "g", "h"])
    await cache.keep(version, "x", picture(5_000));
  expect(await has(cache, "a")).toBe(true);
  await cache.keep("i", "x", picture(5_000));
  expect([await has(cache, "a"), await has(cache, "b"), await has(cache, "i")]).toEqual([true, false, true]);
  const restarted = new RenderCache(directory, 20_000);
  expect((await has(restarted, "i")) || (await has(restarted, "a")) || (await has(restarted, "c"))).toBe(
    true,
  );
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeLessThanOrEqual(4);
});

it("counts the disk space that even the smallest picture takes", async () => {
  const cache = new RenderCache(directory, 40_000);
  for (let n = 0; n < 20; n++) await cache.keep(`version-${n}`, "x", picture(70));
  const kept = await Promise.all(Array.from({ length: 20 }, (_, n) => has(cache, `version-${n}`)));
  expect(kept.indexOf(true)).toBe(11);
});

it("keeps nothing that would evict everything else, and removes half-written files", async () => {
  writeFileSync(join(directory, "half.part"), "half");
  const cache = new RenderCache(directory, 1000);
  await cache.keep("a", "x", picture(900));
  expect(await has(cache, "a")).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

it("drops the pictures of versions that are gone, and leaves no empty folder of an evicted one", async () => {
  const cache = new RenderCache(directory, 40_000);
  for (const version of ["a", "b", "c"]) await cache.keep(version, "x", picture(5_000));
  mkdirSync(join(directory, "left-by-a-crash"));
  expect(await cache.sweep(async (versions) => versions.filter((version) => version !== "b"))).toBe(1);
  expect(await cache.sweep(async () => ["a"])).toBe(2);
  expect([await has(cache, "a"), await has(cache, "b"), readdirSync(directory)]).toEqual([
    true,
    false,
    ["a"],
  ]);
  for (const version of ["d", "e", "f", "g", "h", "i", "j", "k"])
    await cache.keep(version, "x", picture(5_000));
  expect(readdirSync(directory)).not.toContain("a");
});

it("loses only the copy when the disk refuses it", async () => {
  const cache = new RenderCache(directory, 1000);
  expect(await has(cache, "a")).toBe(false);
  writeFileSync(join(directory, "a"), "a file where a folder would be");
  await cache.keep("a", "x", picture(10));
  expect(await has(cache, "a")).toBe(false);
});
