// Reads what a keyboard scanner types. A code ends with Enter, Tab or a silence: some scanners send neither key, and slow ones pause
// for a tenth of a second between two characters.
import { isJustWhole, isWhole } from "./entry-code.ts";

/** Longer than any scanner's pause within a code. */
export const SILENCE_MS = 300;
/** Fewer characters are keys that a person touched. */
const SHORTEST = 4;
/**
 * An Enter this soon after a silence belongs to the code before it, and a late rest of a code to its beginning, because a busy phone
 * pauses.
 */
const AFTER_MS = 2000;
const SHORTEST_FRAGMENT = 20;

export interface Typed {
  readonly text: string;
  /** A part of one of our codes: it must be scanned again, and does not count as an attempt. */
  readonly isFragment: boolean;
}

export interface KeyboardCode {
  /** `at` is in milliseconds. `isTaken`: the key came from the scanner and must not press a button. */
  press: (key: string, at: number) => { readonly typed?: Typed | undefined; readonly isTaken: boolean };
  /** Nothing was typed for SILENCE_MS. */
  silence: () => Typed | undefined;
}

export function createKeyboardCode(): KeyboardCode {
  let text = "";
  let last = Number.NEGATIVE_INFINITY;
  let ended = { at: Number.NEGATIVE_INFINITY, text: "", isFragment: false };

  function end(at: number): Typed | undefined {
    const typed = text;
    text = "";
    if (typed.length < SHORTEST) return undefined;
    const isRest = ended.isFragment && at - ended.at <= AFTER_MS && !isWhole(typed);
    const joined = isRest ? ended.text + typed : typed;
    const isJoined = isRest && isJustWhole(joined);
    ended = { at, text: joined, isFragment: !isJoined && (isRest || isFragment(typed)) };
    return { text: isJoined ? joined : typed, isFragment: ended.isFragment };
  }

  return {
    press(key, at) {
      const isEnd = key === "Enter" || key === "Tab";
      // A busy page may receive the next key before the timer of the silence fires.
      const before = at - last > SILENCE_MS ? end(last + SILENCE_MS) : undefined;
      last = at;
      if (isEnd && text === "")
        return { typed: before, isTaken: at - ended.at <= AFTER_MS && key === "Enter" };
      if (isEnd) {
        const isTaken = text.length >= SHORTEST;
        const typed = end(at);
        ended = { ...ended, at: Number.NEGATIVE_INFINITY };
        return { typed, isTaken };
      }
      if (key.length === 1) text += key;
      return { typed: before, isTaken: key.length === 1 && text.length > 1 };
    },
    silence: () => end(last + SILENCE_MS),
  };
}

/**
 * The number under a printed code, as a person types it in place of the code: "02ab8886", "#02AB8886", "No. 02ab8886". It names a
 * ticket and proves nothing, so it is searched for instead of refused.
 */
export function printedNumber(text: string): string | undefined {
  return /^(?:#|no\.?)?\s*([0-9a-f]{8})$/i.exec(text.trim())?.[1]?.toLowerCase();
}

function isFragment(text: string): boolean {
  return /^[\w.-]+$/.test(text) && text.length >= SHORTEST_FRAGMENT && !isWhole(text);
}
