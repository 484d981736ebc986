// Reads what a keyboard scanner types. A code ends with Enter, Tab or a silence: some scanners send neither, and slow ones leave
// a tenth of a second between two characters.
import { isJustWhole, isWhole } from "./entry-code.ts";

/** Longer than any scanner pauses within a code. */
export const SILENCE_MS = 300;
/** Fewer are keys that somebody touched. */
const SHORTEST = 4;
/** An Enter this soon after a silence belongs to the code before it, and the rest of a code to its beginning: a busy phone pauses. */
const AFTER_MS = 2000;
const SHORTEST_FRAGMENT = 20;

export interface Typed {
  readonly text: string;
  /** A part of a code of ours: to be scanned again, and no code that anybody tried. */
  readonly isFragment: boolean;
}

export interface KeyboardCode {
  /** `at` is in milliseconds. `isTaken`: the key is the scanner's, and presses no button. */
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
      // A busy page may hear of the next key before it is told of the silence.
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

function isFragment(text: string): boolean {
  return /^[\w.-]+$/.test(text) && text.length >= SHORTEST_FRAGMENT && !isWhole(text);
}
