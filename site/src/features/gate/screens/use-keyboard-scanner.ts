import { useEffect, useRef } from "react";
import { createKeyboardCode, SILENCE_MS, type Typed } from "../rules/keyboard-code.ts";

/** A scanner that acts as a keyboard, wherever the focus is except in a text field. */
export function useKeyboardScanner(onTyped: (typed: Typed) => void): void {
  const latest = useRef(onTyped);
  useEffect(() => {
    latest.current = onTyped;
  });
  useEffect(() => {
    const keyboard = createKeyboardCode();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (typed: Typed | undefined) => typed && latest.current(typed);
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement && !["radio", "checkbox"].includes(event.target.type))
        return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { typed, isTaken } = keyboard.press(event.key, event.timeStamp);
      clearTimeout(timer);
      timer = setTimeout(() => hear(keyboard.silence()), SILENCE_MS);
      if (isTaken) event.preventDefault(); // do not press the focused button
      hear(typed);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", onKey, { capture: true });
    };
  }, []);
}
