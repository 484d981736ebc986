import { type RefObject, useEffect, useRef } from "react";
import { isOurs } from "../rules/entry-code.ts";
import { createKeyboardCode, type Readings, SILENCE_MS, type Typed } from "../rules/keyboard-code.ts";

/** A scanner that acts as a keyboard, wherever the focus is except in a text field. */
export function useKeyboardScanner(onTyped: (typed: Typed) => void): void {
  const latest = useRef(onTyped);
  useEffect(() => {
    latest.current = onTyped;
  });
  useEffect(
    () =>
      listen(window, (event) => !isTextField(event.target), {
        onTyped: (typed) => latest.current(typed),
        takes: () => true,
      }),
    [],
  );
}

/** Entry codes that a scanner types into a text field, whose own text is then another under another layout. */
export function useScannerInField(
  field: RefObject<HTMLInputElement | null>,
  onCode: (readings: Readings) => void,
): void {
  const latest = useRef(onCode);
  useEffect(() => {
    latest.current = onCode;
  });
  useEffect(() => {
    const isCode = ({ readings }: Typed) => readings.some(isOurs);
    return listen(field.current!, () => true, {
      onTyped: (typed) => isCode(typed) && latest.current(typed.readings),
      takes: (typed) => typed !== undefined && isCode(typed),
    });
  }, [field]);
}

interface Listener {
  onTyped: (typed: Typed) => void;
  /** Whether a key of the scanner's, which may end what it typed, does nothing else. */
  takes: (typed: Typed | undefined) => boolean;
}

function listen(
  target: Window | HTMLInputElement,
  hears: (event: KeyboardEvent) => boolean,
  { onTyped, takes }: Listener,
): () => void {
  const keyboard = createKeyboardCode();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = (typed: Typed | undefined) => typed && onTyped(typed);
  const onKey = (event: KeyboardEvent) => {
    if (!hears(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { typed, isTaken } = keyboard.press(event, event.timeStamp);
    clearTimeout(timer);
    timer = setTimeout(() => report(keyboard.silence()), SILENCE_MS);
    if (isTaken && takes(typed)) event.preventDefault(); // do not press the focused button
    report(typed);
  };
  const listener = onKey as EventListener;
  target.addEventListener("keydown", listener, { capture: true });
  return () => {
    clearTimeout(timer);
    target.removeEventListener("keydown", listener, { capture: true });
  };
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type);
