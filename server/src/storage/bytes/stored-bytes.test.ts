import { expect, it } from "vitest";
import type { ObjectStore } from "./object-store.ts";
import { StoredBytes } from "./stored-bytes.ts";

const SIZE = 100;
const bytesOf = (version: string) => Buffer.alloc(SIZE, version);

function open(mostBytes: number) {
  const asked: string[] = [];
  const store = {
    async read(version: string, range: { start: number; end: number } = { start: 0, end: SIZE - 1 }) {
      asked.push(version);
      return version === "lost" ? undefined : bytesOf(version).subarray(range.start, range.end + 1);
    },
  };
  const bytes = new StoredBytes(store as unknown as ObjectStore, mostBytes);
  return { bytes, asked, read: (version: string) => bytes.read(version, SIZE, undefined) };
}

it("reads a small object once, and serves parts of it from memory", async () => {
  const { bytes, asked, read } = open(1000);
  expect(await bytes.read("a", SIZE, { start: 0, end: 9 })).toEqual(bytesOf("a").subarray(0, 10));
  expect([await read("a"), await read("a")]).toEqual([bytesOf("a"), bytesOf("a")]);
  expect(await bytes.read("a", SIZE, { start: 5, end: 9 })).toEqual(bytesOf("a").subarray(5, 10));
  expect(asked).toEqual(["a", "a"]); // a part alone is not kept
  expect([await read("lost"), await read("lost")]).toEqual([undefined, undefined]);
});

it("stays within its limit: the least recently used goes first", async () => {
  const { asked, read } = open(2 * SIZE);
  await Promise.all([read("a"), read("a")]); // both are requested before it is loaded, and it counts once
  for (const version of ["b", "a", "c", "a", "b"]) await read(version);
  expect(asked).toEqual(["a", "a", "b", "c", "b"]);
});

it("forgets what is removed", async () => {
  const { bytes, asked, read } = open(1000);
  await read("a");
  bytes.forget(["a", "b"]);
  await read("a");
  expect(asked).toEqual(["a", "a"]);
});
