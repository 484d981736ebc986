import { expect, it } from "vitest";
import { typedCents, typedUnits } from "./typed-numbers.ts";

const noCents = [
  "",
  "-5",
  "abc",
  "1.234",
  "1e3",
  "1,50",
  "45,50",
  "1,5",
  "12,500,0",
  "1,0000",
  ",500",
  "1.50,000",
  "1,234.5,6",
  "1,250.50,",
];
const noUnits = ["", "1.5", "1,5", "1,0000", "10,00", "-1", "many", "1000000000"];

it("reads an amount, in which a comma separates thousands and nothing else", () => {
  expect(["100", "$1,050.50", " 20.5 ", "1,234,567"].map(typedCents)).toEqual([
    10_000, 105_050, 2050, 123_456_700,
  ]);
  for (const text of noCents) expect(typedCents(text), text).toBeUndefined();
});

it("reads a whole number, in which a comma separates thousands and nothing else", () => {
  expect(["1,000", " 25 ", "0", "12,345,678"].map(typedUnits)).toEqual([1000, 25, 0, 12_345_678]);
  for (const text of noUnits) expect(typedUnits(text), text).toBeNaN();
});
