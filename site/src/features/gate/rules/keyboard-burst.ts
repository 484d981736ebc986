// Tells a keyboard scanner from a person: a scanner types a whole code in a burst and ends it with Enter.

/** Scanners type a character within a few milliseconds; nobody types 20 with less than this between them. */
const BETWEEN_KEYS_MS = 60;
const SHORTEST_CODE = 20;

export interface KeyboardBurst {
  /** Returns the code once Enter ends it. `at` is in milliseconds. */
  press: (key: string, at: number) => string | undefined;
}

export function createKeyboardBurst(): KeyboardBurst {
  let typed = "";
  let last = Number.NEGATIVE_INFINITY;
  return {
    press(key, at) {
      if (at - last > BETWEEN_KEYS_MS) typed = "";
      last = at;
      if (key === "Enter") {
        const code = typed;
        typed = "";
        return code.length >= SHORTEST_CODE ? code : undefined;
      }
      if (key.length === 1) typed += key;
      return undefined;
    },
  };
}
