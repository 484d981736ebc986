import { describe, expect, it } from "vitest";
import { createKeyboardCode, printedNumber, SILENCE_MS, type Typed } from "./keyboard-code.ts";

const codeOf = (payload: number) =>
  `AW${"exampleOfACode_".repeat(10)}`.slice(0, payload) + `.${"Sig-nature_".repeat(8).slice(0, 86)}`;
const code = codeOf(60);

/**
 * Types with this many milliseconds between two keys. A silence ends what no key does. Returns the codes read, in order.
 */
function read(keys: readonly string[], betweenMs: number | ((index: number) => number)): Typed[] {
  const keyboard = createKeyboardCode();
  const found: Typed[] = [];
  let at = 5000;
  const hear = (typed: Typed | undefined) => void (typed && found.push(typed));
  for (const [index, key] of keys.entries()) {
    const gap = typeof betweenMs === "number" ? betweenMs : betweenMs(index);
    if (gap >= SILENCE_MS) hear(keyboard.silence());
    at += gap;
    hear(keyboard.press(key, at).typed);
  }
  hear(keyboard.silence());
  return found;
}

describe("a keyboard scanner", () => {
  it.each([1, 75, 95, 250])("reads a whole code with %i ms between its characters", (ms) => {
    const whole = [{ text: code, isFragment: false }];
    expect(read([...code, "Enter"], ms)).toEqual(whole);
    expect(read([...code, "Tab"], ms)).toEqual(whole);
    expect(read([...code], ms), "ended by a silence").toEqual(whole);
  });

  it.each([54, 90])(
    "reads the codes of a festival whose own code makes them %i and 87 characters long",
    (payload) => {
      expect(read([...codeOf(payload), "Enter"], 20)).toEqual([{ text: codeOf(payload), isFragment: false }]);
    },
  );

  it("reads two codes one after the other", () => {
    const second = code.toLowerCase();
    const gap = (index: number) => (index === code.length ? 400 : 80);
    expect(read([...code, ...second], gap).map(({ text }) => text)).toEqual([code, second]);
  });

  it("joins a code that arrived in halves, and reports half a code as a fragment", () => {
    const half = { text: code.slice(0, 137), isFragment: true };
    const paused = (ms: number) => (index: number) => (index === 137 ? ms : 20);
    expect(read([...code, "Enter"], paused(900))).toEqual([half, { text: code, isFragment: false }]);
    expect(read([...code], paused(900)), "ended by a silence").toEqual([
      half,
      { text: code, isFragment: false },
    ]);
    expect(read([...code, "Enter"], paused(9000))[1], "much later").toMatchObject({
      text: code.slice(137),
    });
    const other = code.toLowerCase().slice(130);
    expect(read([...half.text, ...other, "Enter"], paused(900)), "of two codes").toEqual([
      half,
      { text: other, isFragment: true },
    ]);
  });

  it("reads any other input as a code that is not ours", () => {
    expect(read([..."HELLO-WORLD", "Enter"], 20)).toEqual([{ text: "HELLO-WORLD", isFragment: false }]);
    const address = "https://example.com/a-ticket-of-somebody";
    expect(read([...address], 20)).toEqual([{ text: address, isFragment: false }]);
  });

  it("ignores keys that a person touches", () => {
    expect(read(["a", "Enter"], 50)).toEqual([]);
    expect(read([..."abcdefgh"], 700)).toEqual([]);
  });

  it("reads capitals with Shift pressed", () => {
    const keys = [...code].flatMap((letter) => ["Shift", letter]);
    expect(read([...keys, "Enter"], 2)).toEqual([{ text: code, isFragment: false }]);
  });

  it("takes an Enter that comes after the silence, and leaves a person's to the focused button", () => {
    const keyboard = createKeyboardCode();
    let at = 0;
    for (const letter of code) keyboard.press(letter, (at += 20));
    expect(keyboard.silence()?.text).toBe(code);
    expect(keyboard.press("Enter", at + SILENCE_MS + 100).isTaken).toBe(true);
    expect(keyboard.press("Enter", at + 9000).isTaken).toBe(false);
  });

  it("leaves the next Enter to the focused button once a code has ended with one", () => {
    const keyboard = createKeyboardCode();
    let at = 0;
    for (const letter of code) keyboard.press(letter, (at += 20));
    expect(keyboard.press("Enter", (at += 20))).toMatchObject({ isTaken: true, typed: { text: code } });
    expect(keyboard.press("Enter", at + 400).isTaken).toBe(false);
  });
});

describe("a typed number", () => {
  it.each(["02ab8886", "02AB8886", "#02ab8886", "No. 02ab8886", "no 02ab8886", " 02ab8886 "])(
    "is the one printed under a code: %j",
    (text) => {
      const [typed] = read([...text, "Enter"], 120);
      expect(printedNumber(typed!.text)).toBe("02ab8886");
    },
  );

  it.each(["02ab888", "02ab88866", "02ab888g", "4006381333931", "HELLO-WORLD", code])(
    "is nothing else that is typed or scanned: %j",
    (text) => expect(printedNumber(text)).toBeUndefined(),
  );
});
