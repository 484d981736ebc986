import { useEffect, useRef } from "react";
import { createKeyboardBurst } from "../rules/keyboard-burst.ts";

/** A scanner that is a keyboard: a burst of keys with Enter at its end, wherever the focus is but in a text field. */
export function useKeyboardScanner(onCode: (text: string) => void): void {
  const latest = useRef(onCode);
  useEffect(() => {
    latest.current = onCode;
  });
  useEffect(() => {
    const burst = createKeyboardBurst();
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement && event.target.type !== "radio") return;
      const code = burst.press(event.key, event.timeStamp);
      if (code === undefined) return;
      event.preventDefault(); // a button that has the focus is not pressed
      latest.current(code);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
}
