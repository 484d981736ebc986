import { describe, expect, it } from "vitest";
import { measureInTurn, type Slice, spread, WrongAnswer } from "./pairs.ts";

/** Returns these values one after the other and records its name each time. */
const giving =
  (values: readonly number[], name = "", order: string[] = []): Slice =>
  async () => {
    order.push(name);
    return values[order.filter((one) => one === name).length - 1]!;
  };

describe("two things measured in turn", () => {
  it("go A B, B A, A B, so that neither is always second", async () => {
    const order: string[] = [];
    await measureInTurn(giving([1, 1, 1], "A", order), giving([1, 1, 1], "B", order), 3);
    expect(order.join("")).toBe("ABBAAB");
  });

  it("give the median of the pairs' own ratios with the lowest and highest, without the first pair", async () => {
    // Medians of 40 and 10 would give 4; pair by pair it is 100 (dropped), 2, 8, 5.
    const paired = await measureInTurn(giving([1000, 20, 80, 40], "A"), giving([10, 10, 10, 8], "B"), 4);
    expect(paired.ratio).toEqual({ median: 5, lowest: 2, highest: 8 });
    expect(paired.ours).toEqual({ median: 40, lowest: 20, highest: 80 });
    expect(paired.against).toEqual({ median: 10, lowest: 8, highest: 10 });
  });

  it("give no figure when an answer was wrong, even in the dropped pair", async () => {
    const wrong: Slice = async () => {
      throw new WrongAnswer("an order without an id");
    };
    await expect(measureInTurn(wrong, giving([1]), 2)).rejects.toThrow("an order without an id");
    await expect(measureInTurn(giving([1]), wrong, 2)).rejects.toThrow(WrongAnswer);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuse a slice of %s", async (value) => {
    await expect(measureInTurn(giving([1, 1], "A"), giving([1, value], "B"), 2)).rejects.toThrow(WrongAnswer);
  });

  it.each([1, 0, 2.5])("refuse %s pairs", async (pairs) => {
    await expect(measureInTurn(giving([1]), giving([1]), pairs)).rejects.toThrow(RangeError);
  });
});

describe("the spread of some values", () => {
  it("has the middle value, or the mean of the middle two", () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, lowest: 1, highest: 3 });
    expect(spread([4, 1, 10, 2])).toEqual({ median: 3, lowest: 1, highest: 10 });
  });
});
