import { describe, expect, it } from "vitest";
import { fromBase32, toBase32 } from "contract/tickets/base32";
import { createKeyboardCode, type Key, printedNumber, SILENCE_MS, type Typed } from "./keyboard-code.ts";

const oldCodeOf = (payload: number) =>
  `AW${"exampleOfACode_".repeat(10)}`.slice(0, payload) + `.${"Sig-nature_".repeat(8).slice(0, 86)}`;
const old = oldCodeOf(60);
const bytes = Uint8Array.from({ length: 93 }, (_, at) => (at === 0 ? 2 : (at * 151) % 256));
const code = toBase32(bytes);

const US = "`1234567890-=~!@#$%^&*()_+qwertyuiop[]QWERTYUIOP{}asdfghjkl;'ASDFGHJKL:\"zxcvbnm,./ZXCVBNM<>?";
/** The same keys under the layouts of other countries; "´" stands for a dead key. */
const layouts = {
  US,
  Spanish: "º1234567890'¡ª!\"·$%&/()=?¿qwertyuiop´+QWERTYUIOP´*asdfghjklñ´ASDFGHJKLÑ´zxcvbnm,.-ZXCVBNM;:_",
  German: '´1234567890ß´°!"§$%&/()=?´qwertzuiopü+QWERTZUIOPÜ*asdfghjklöäASDFGHJKLÖÄyxcvbnm,.-YXCVBNM;:_',
  French: "²&é\"'(-è_çà)=²1234567890°+azertyuiop´$AZERTYUIOP´£qsdfghjklmùQSDFGHJKLM%wxcvbn,;:!WXCVBN?./§",
} as const;
const LAYOUTS = ["US", "Spanish", "German", "French"] as const;
const SHIFTED = /[~!@#$%^&*()_+A-Z{}:"<>?]/;
const NAMES: Readonly<Record<string, string>> = { "-": "Minus", _: "Minus", ".": "Period", ">": "Period" };

/** A scanner set to one layout presses a key, which a device set to another one names. */
function pressed(character: string, scanner: keyof typeof layouts, phone: keyof typeof layouts): Key {
  const at = layouts[scanner].indexOf(character);
  const us = US[at]!;
  const digit = /\d/.test(us) ? us : ")!@#$%^&*(".indexOf(us);
  const code = /[a-z]/i.test(us)
    ? `Key${us.toUpperCase()}`
    : digit !== -1
      ? `Digit${digit}`
      : (NAMES[us] ?? "Other");
  const key = layouts[phone][at]!;
  return { key: key === "´" ? "Dead" : key, code, shiftKey: SHIFTED.test(us) };
}

const keyOf = (key: string): Key =>
  US.includes(key) ? pressed(key, "US", "US") : { key, code: "", shiftKey: false };

/**
 * Types with this many milliseconds between two keys. A silence ends what no key does. Returns the codes read, in order.
 */
function read(keys: readonly (string | Key)[], betweenMs: number | ((index: number) => number)): Typed[] {
  const keyboard = createKeyboardCode();
  const found: Typed[] = [];
  let at = 5000;
  const hear = (typed: Typed | undefined) => void (typed && found.push(typed));
  for (const [index, key] of keys.entries()) {
    const gap = typeof betweenMs === "number" ? betweenMs : betweenMs(index);
    if (gap >= SILENCE_MS) hear(keyboard.silence());
    at += gap;
    hear(keyboard.press(typeof key === "string" ? keyOf(key) : key, at).typed);
  }
  hear(keyboard.silence());
  return found;
}

describe("a keyboard scanner", () => {
  it.each([1, 75, 95, 250])("reads a whole code with %i ms between its characters", (ms) => {
    const whole = [{ readings: [code] }];
    expect(read([...code, "Enter"], ms)).toEqual(whole);
    expect(read([...code, "Tab"], ms)).toEqual(whole);
    expect(read([...code], ms), "ended by a silence").toEqual(whole);
  });

  it.each([54, 60, 90])(
    "reads the old codes of a festival whose own code makes them %i and 87 characters long",
    (payload) => {
      expect(read([...oldCodeOf(payload), "Enter"], 20)).toEqual([{ readings: [oldCodeOf(payload)] }]);
    },
  );

  it("reads two codes one after the other", () => {
    const second = code.toLowerCase();
    const gap = (index: number) => (index === code.length ? 400 : 80);
    expect(read([...code, ...second], gap).map(({ readings }) => readings[0])).toEqual([code, second]);
  });

  it.each([
    ["a code", code, 137],
    ["an old code", old, 137],
    ["a code with a longer rest", code, 100],
  ])("joins %s that arrived in two parts, and reports a part as a fragment", (_which, code, cut) => {
    const part = { readings: [code.slice(0, cut)], isFragment: true };
    const paused = (ms: number) => (index: number) => (index === cut ? ms : 20);
    expect(read([...code, "Enter"], paused(900))).toEqual([part, { readings: [code] }]);
    expect(read([...code], paused(900)), "ended by a silence").toEqual([part, { readings: [code] }]);
    expect(read([...code, "Enter"], paused(9000))[1], "much later").toMatchObject({
      readings: [code.slice(cut)],
    });
    const other = code.toLowerCase().slice(130);
    expect(read([...part.readings[0]!, ...other, "Enter"], paused(900)), "of two codes").toEqual([
      part,
      { readings: [other], isFragment: true },
    ]);
  });

  it("reads any other input as a code that is not ours", () => {
    expect(read([..."HELLO-WORLD", "Enter"], 20)).toEqual([{ readings: ["HELLO-WORLD"] }]);
    const address = "https://example.com/a-ticket-of-somebody";
    expect(read([...address], 20)).toEqual([{ readings: [address] }]);
  });

  it.each(["12345678901234567890", "ARTICLE-0123456789-XYZ", "3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f4a5b"])(
    "reads %s as a code that is not ours",
    (foreign) => expect(read([...foreign, "Enter"], 20)).toEqual([{ readings: [foreign] }]),
  );

  it("takes a text that could be a part of ours for a whole code when it comes again", () => {
    const foreign = "aQ3bQ3cQ3dQ3eQ3fQ3gQ3h";
    const keyboard = createKeyboardCode();
    const type = (at: number) => {
      for (const [index, letter] of [...foreign].entries()) keyboard.press(keyOf(letter), at + index);
      return keyboard.press(keyOf("Enter"), at + 100).typed;
    };
    expect(type(1000)).toEqual({ readings: [foreign], isFragment: true });
    expect(type(4000)).toEqual({ readings: [foreign] });
    expect(type(7000)).toEqual({ readings: [foreign] });
  });

  it.each(LAYOUTS.flatMap((scanner) => LAYOUTS.map((phone) => [scanner, phone] as const)))(
    "reads a code of a scanner set to %s on a phone set to %s",
    (scanner, phone) => {
      for (const text of [code, code.toLowerCase()]) {
        const keys = [...text].map((character) => pressed(character, scanner, phone));
        const isRead = ({ readings }: Typed) =>
          readings.some((reading) => bytes.every((byte, at) => fromBase32(reading)?.[at] === byte));
        expect(read([...keys, "Enter"], 20).map(isRead)).toEqual([true]);
        const paused = (index: number) => (index === 120 ? 900 : 20);
        expect(read(keys, paused).map(isRead), "in two parts").toEqual([false, true]);
      }
    },
  );

  it.each(["Spanish", "German", "French"] as const)("reads an old code on a phone set to %s", (phone) => {
    const keys = [...old].map((character) => pressed(character, "US", phone));
    const [typed] = read([...keys, "Enter"], 20);
    expect(typed!.readings).toContain(old);
    expect(typed!.readings[0], "this phone's names of the keys").not.toBe(old);
    expect(typed!.isFragment).toBeUndefined();
    const paused = (index: number) => (index === 120 ? 900 : 20);
    expect(read(keys, paused).at(-1)!.readings, "in two parts").toContain(old);
    const own = [...old].map((character) => pressed(character, phone, phone));
    expect(read([...own, "Enter"], 20)[0]!.readings[0], "scanner and phone agree").toBe(old);
  });

  it("ignores keys that a person touches", () => {
    expect(read(["a", "Enter"], 50)).toEqual([]);
    expect(read([..."abcdefgh"], 700)).toEqual([]);
  });

  it("reads capitals with Shift pressed", () => {
    const keys = [...code].flatMap((letter) => ["Shift", letter]);
    expect(read([...keys, "Enter"], 2)).toEqual([{ readings: [code] }]);
  });

  it("takes an Enter that comes after the silence, and leaves a person's to the focused button", () => {
    const keyboard = createKeyboardCode();
    let at = 0;
    for (const letter of code) keyboard.press(keyOf(letter), (at += 20));
    expect(keyboard.silence()?.readings).toEqual([code]);
    expect(keyboard.press(keyOf("Enter"), at + SILENCE_MS + 100).isTaken).toBe(true);
    expect(
      keyboard.press(keyOf("Enter"), at + SILENCE_MS + 200).isTaken,
      "the scanner has sent its own",
    ).toBe(false);
    expect(keyboard.press(keyOf("Enter"), at + 9000).isTaken).toBe(false);
  });

  it("leaves the next Enter to the focused button once a code has ended with one", () => {
    const keyboard = createKeyboardCode();
    let at = 0;
    for (const letter of code) keyboard.press(keyOf(letter), (at += 20));
    expect(keyboard.press(keyOf("Enter"), (at += 20))).toMatchObject({
      isTaken: true,
      typed: { readings: [code] },
    });
    expect(keyboard.press(keyOf("Enter"), at + 400).isTaken).toBe(false);
  });
});

describe("a typed number", () => {
  it.each(["02ab8886", "02AB8886", "#02ab8886", "No. 02ab8886", "no 02ab8886", " 02ab8886 "])(
    "is the one printed under a code: %j",
    (text) => {
      const [typed] = read([...text, "Enter"], 120);
      expect(printedNumber(typed!.readings[0])).toBe("02ab8886");
    },
  );

  it.each(["02ab888", "02ab88866", "02ab888g", "4006381333931", "HELLO-WORLD", code])(
    "is nothing else that is typed or scanned: %j",
    (text) => expect(printedNumber(text)).toBeUndefined(),
  );
});
