import { describe, expect, it } from "vitest";
import { estimateWords, lineProgress, lineWords } from "./line-words.ts";

const line = (ahead: number, estimatedSeconds: number) => ({
  open: true,
  admitted: false,
  place: "signed",
  position: ahead + 1,
  ahead,
  estimatedSeconds,
  pollAfterSeconds: 2,
});

describe("the words of the line", () => {
  it("round up, and make no promise beyond an hour", () => {
    expect(estimateWords(12)).toBe("In less than a minute");
    expect(estimateWords(61)).toBe("In about 2 minutes");
    expect(estimateWords(3600)).toBe("In about 60 minutes");
    expect(estimateWords(3601)).toBe("In more than an hour");
  });

  it("show how many people are ahead", () => {
    expect(lineWords(line(0, 3))).toBe("You're next. Your turn: in less than a minute.");
    expect(lineWords(line(1, 3))).toBe("1 person is ahead of you. Your turn: in less than a minute.");
    expect(lineWords(line(250, 90))).toBe("250 people are ahead of you. Your turn: in about 2 minutes.");
  });
});

describe("progress to the door", () => {
  it("only grows as the line gets shorter, and never reaches its end before admission", () => {
    const steps = [50, 40, 3, 1, 0].map((ahead) => lineProgress(50, ahead));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(steps[0]).toBeGreaterThan(0);
    expect(steps.at(-1)).toBeLessThan(1);
    expect(lineProgress(0, 0)).toBeLessThan(1);
  });
});
