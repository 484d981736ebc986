import { describe, expect, it } from "vitest";
import { parseSize, requireBucketName, requireKey, requireMimeType } from "./names.ts";

describe("names", () => {
  it.each(["a", "folder/file (1).png", "it's&$@=;:+,?!*.txt", "a/..b/c."])(
    "%s is a valid object name",
    (name) => {
      expect(requireKey(name)).toBe(name);
    },
  );
  it.each([
    "",
    "naïve.txt",
    "a%b",
    "a[1]",
    "tab\t",
    "back\\slash",
    "x".repeat(1025),
    "..",
    "./a",
    "a/../b",
    "a/.",
  ])("%j is not a valid object name", (name) => {
    expect(() => requireKey(name)).toThrow("Invalid key");
  });
  it.each(["", "a/b", " a", "ä", "x".repeat(101)])("%j is not a valid bucket name", (name) => {
    expect(() => requireBucketName(name)).toThrow("Bucket name invalid");
  });
});

it.each<[number | string, number]>([
  [5, 5],
  ["5", 5],
  ["5b", 5],
  ["1.5KB", 1500],
  ["20MB", 20_000_000],
  ["2gb", 2_000_000_000],
])("size %s is %i bytes", (size, bytes) => {
  expect(parseSize(size)).toBe(bytes);
});
it.each(["", "MB", "5 MB", "5TB", "-1"])("size %j is refused", (size) => {
  expect(() => parseSize(size)).toThrow("Invalid file size format");
});

it("allows the types a bucket lists, by family or exactly, whatever parameters follow", () => {
  const allowed = ["image/*", "text/plain"];
  expect(() => requireMimeType("image/png", allowed)).not.toThrow();
  expect(() => requireMimeType("Text/Plain;charset=UTF-8", allowed)).not.toThrow();
  expect(() => requireMimeType("text/html", allowed)).toThrow("mime type text/html is not supported");
  expect(() => requireMimeType("anything/else", null)).not.toThrow();
  expect(() => requireMimeType("image/png;\r\nx: y", allowed)).toThrow("is not supported");
  expect(() => requireMimeType("text/\u20ac", null)).toThrow("is not supported");
});
