import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalText, formatCents, lineTotal, toCents, toDollars } from "./money.ts";

describe("money", () => {
  it("reads what the database and forms write", () => {
    expect(toCents("45")).toBe(4500);
    expect(toCents("45.5")).toBe(4550);
    expect(toCents("45.05")).toBe(4505);
    expect(toCents(19.99)).toBe(1999);
    expect(toCents("-0.10")).toBe(-10);
    expect(toCents(" 0.00 ")).toBe(0);
  });

  it.each(["", "1.005", "1e3", "12a", "Infinity", "123456789.00", "--1", ".5", "5."])(
    "refuses %j",
    (text) => {
      expect(() => toCents(text)).toThrow(RangeError);
    },
  );

  it("refuses numbers that are not amounts", () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, 0.1 + 0.2, 1e9]) {
      expect(() => toCents(number)).toThrow(RangeError);
    }
  });

  it("survives a round trip through JSON and text for every amount", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999_999 }), (cents) => {
        expect(toCents(toDollars(cents))).toBe(cents);
        expect(toCents(decimalText(cents))).toBe(cents);
      }),
    );
  });

  it("adds up lines without losing a cent", () => {
    expect(lineTotal(0.1, 3)).toBe(30);
    expect(lineTotal("19.99", 3)).toBe(5997);
  });

  it("shows dollars with two decimals", () => {
    expect(formatCents(125000)).toBe("$1,250.00");
    expect(formatCents(4550)).toBe("$45.50");
    expect(formatCents(0)).toBe("$0.00");
    expect(formatCents(99_999)).toBe("$999.99");
    expect(formatCents(-123_456_789)).toBe("-$1,234,567.89");
  });
});
