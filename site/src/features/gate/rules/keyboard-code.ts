// Reads what a keyboard scanner types. A code ends with Enter, Tab or a silence: some scanners send neither key, and slow ones pause
// for a tenth of a second between two characters.
import { isJustWhole, isPart, isWhole } from "./entry-code.ts";

/** Longer than any scanner's pause within a code. */
export const SILENCE_MS = 300;
/** Fewer characters are keys that a person touched. */
const SHORTEST = 4;
/**
 * An Enter this soon after a silence belongs to the code before it, and a late rest of a code to its beginning, because a busy device
 * pauses.
 */
const AFTER_MS = 2000;

/**
 * The text by the names of the keys and, where that differs, by their positions on a US keyboard. The positions are right for every
 * code but an old one from a scanner that is not set to US English; the names are right for what people type.
 */
export type Readings = readonly [string, ...string[]];

export interface Typed {
  readonly readings: Readings;
  /** A part of one of our codes, which must be scanned again and does not count as an attempt. */
  readonly isFragment?: true;
}

export interface Key {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
}

export interface KeyboardCode {
  /** `at` is in milliseconds. `isTaken`: the key came from the scanner and must not press a button. */
  press: (key: Key, at: number) => { readonly typed?: Typed | undefined; readonly isTaken: boolean };
  /** Nothing was typed for SILENCE_MS. */
  silence: () => Typed | undefined;
}

type Texts = readonly [byName: string, byPosition: string];
const NOTHING: Texts = ["", ""];

export function createKeyboardCode(): KeyboardCode {
  let texts = NOTHING;
  let last = Number.NEGATIVE_INFINITY;
  let ended = { at: Number.NEGATIVE_INFINITY, texts: NOTHING, isFragment: false };

  function end(at: number): Typed | undefined {
    const typed = texts;
    texts = NOTHING;
    if (lengthOf(typed) < SHORTEST) return undefined;
    // Nobody cuts a code twice at the same place.
    const isSame = typed[0] === ended.texts[0];
    const isRest = ended.isFragment && !isSame && at - ended.at <= AFTER_MS && !typed.some(isWhole);
    const joined: Texts = [ended.texts[0] + typed[0], ended.texts[1] + typed[1]];
    const isJoined = isRest && joined.some(isJustWhole);
    const isFragment = !isJoined && (isRest || (!isSame && !typed.some(isWhole) && typed.some(isPart)));
    ended = { at, texts: isRest ? joined : typed, isFragment };
    const [byName, byPosition] = isJoined ? joined : typed;
    return {
      readings: byName === byPosition ? [byName] : [byName, byPosition],
      ...(isFragment && { isFragment }),
    };
  }

  return {
    press(pressed, at) {
      const { key } = pressed;
      const isEnd = key === "Enter" || key === "Tab";
      // A busy page may receive the next key before the timer of the silence fires.
      const before = at - last > SILENCE_MS ? end(last + SILENCE_MS) : undefined;
      last = at;
      if (isEnd && lengthOf(texts) === 0) {
        const isTaken = at - ended.at <= AFTER_MS && key === "Enter";
        if (isTaken) ended = { ...ended, at: Number.NEGATIVE_INFINITY }; // the next one is a person's
        return { typed: before, isTaken };
      }
      if (isEnd) {
        const isTaken = lengthOf(texts) >= SHORTEST;
        const typed = end(at);
        ended = { ...ended, at: Number.NEGATIVE_INFINITY };
        return { typed, isTaken };
      }
      const position = characterAt(pressed);
      if (position === "") return { typed: before, isTaken: false };
      texts = [texts[0] + (key.length === 1 ? key : ""), texts[1] + position];
      return { typed: before, isTaken: lengthOf(texts) > 1 };
    },
    silence: () => end(last + SILENCE_MS),
  };
}

/** A dead key has a position and no name. */
const lengthOf = ([, byPosition]: Texts): number => byPosition.length;

/**
 * What the key types on a US keyboard, as far as our codes need it: Shift makes a letter a capital, and nothing of a digit, which
 * French scanners press with it.
 */
function characterAt({ key, code, shiftKey }: Key): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter) return shiftKey ? letter : letter.toLowerCase();
  if (code === "Minus") return shiftKey ? "_" : "-";
  if (code === "Period" && !shiftKey) return ".";
  return /^Digit(\d)$/.exec(code)?.[1] ?? (key.length === 1 ? key : "");
}

/**
 * The number under a printed code, as a person types it in place of the code: "02ab8886", "#02AB8886", "No. 02ab8886". It names a
 * ticket and proves nothing, so it is searched for instead of refused.
 */
export function printedNumber(text: string): string | undefined {
  return /^(?:#|no\.?)?\s*([0-9a-f]{8})$/i.exec(text.trim())?.[1]?.toLowerCase();
}
