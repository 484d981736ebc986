import { expect, it } from "vitest";
import { typedCents } from "./typed-cents.ts";

it("reads a typed amount, and rejects nonsense", () => {
  expect(["100", "$1,050.50", " 20.5 "].map(typedCents)).toEqual([10_000, 105_050, 2050]);
  expect(["", "-5", "abc", "1.234", "1e3"].map(typedCents)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
