// What closing a dialog would lose: typed text, and whatever marks itself with data-unsent. Reads the elements themselves, so
// that no dialog has to report its own.
import { type FocusEvent, useRef, useState } from "react";

type TextField = HTMLInputElement | HTMLTextAreaElement;

const isTextField = (target: EventTarget): target is TextField =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** `unsaved`: what the dialog itself knows, in place of what its fields say. */
export function useUnsentText(unsaved: boolean | undefined) {
  const [asking, setAsking] = useState(false);
  /** What each field held before anything was typed in it. */
  const before = useRef(new Map<TextField, string>());
  const sheet = useRef<Element>(undefined);
  const isTyped = () =>
    [...before.current].some(([field, text]) => field.isConnected && field.value.trim() !== text.trim()) ||
    Boolean(sheet.current?.querySelector("[data-unsent]"));
  return {
    asking,
    setAsking,
    /** For the dialog's content. */
    noteField: ({ target, currentTarget }: FocusEvent) => {
      sheet.current = currentTarget;
      if (isTextField(target) && !before.current.has(target)) before.current.set(target, target.value);
    },
    /** Asks if text would be lost, and returns whether it asks. */
    asksFirst: (): boolean => {
      const isUnsent = unsaved ?? isTyped();
      if (isUnsent) setAsking(true);
      return isUnsent;
    },
  };
}
