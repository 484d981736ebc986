import { expect, it } from "vitest";
import { createAtRest } from "./at-rest.ts";

const atRest = createAtRest("a key for tests that is long enough");
const other = createAtRest("another key for tests, long enough");

it("hashes alike with one key and differently with another, and the token that follows one is not its hash", () => {
  expect(atRest.hash("123456")).toBe(atRest.hash("123456"));
  expect(atRest.hash("123456")).not.toBe(other.hash("123456"));
  expect(atRest.next("a token")).toBe(atRest.next("a token"));
  expect(atRest.next("a token")).toHaveLength(24);
  expect([atRest.hash("a token"), other.next("a token")]).not.toContain(atRest.next("a token"));
});

it("opens what it sealed for its owner alone, each time sealed differently", () => {
  const sealed = atRest.seal("a secret of two factors", "factor 1");
  expect(sealed).not.toContain("secret");
  expect(atRest.seal("a secret of two factors", "factor 1")).not.toBe(sealed);
  expect(atRest.open(sealed, "factor 1")).toBe("a secret of two factors");
  expect(atRest.open(sealed, "factor 2")).toBeUndefined();
  expect(other.open(sealed, "factor 1")).toBeUndefined();
});

it.each(["", "v1.", "v1.AAAA", "v2.AAAA", "plain text", "v1.AAAA.AAAA"])("opens nothing of %j", (sealed) => {
  expect(atRest.open(sealed, "factor 1")).toBeUndefined();
});
