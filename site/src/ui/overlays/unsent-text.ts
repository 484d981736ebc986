// What closing a dialog would lose: typed text, ticked boxes, and whatever marks itself with data-unsent. Reads the elements themselves, so
// that no dialog has to report its own.
import { type SyntheticEvent, useRef, useState } from "react";

type Field = HTMLInputElement | HTMLTextAreaElement;

const isField = (target: EventTarget): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

const BOXES = "input[type=checkbox], input[type=radio]";

/** A box's value is the same whether or not it is ticked. */
const held = (field: Field): string =>
  field.type === "checkbox" || field.type === "radio"
    ? String((field as HTMLInputElement).checked)
    : field.value.trim();

/** `unsaved`: what the dialog itself knows, in place of what its fields say. */
export function useUnsentText(unsaved: boolean | undefined) {
  const [asking, setAsking] = useState(false);
  /** What each field held before anything was typed or ticked. */
  const before = useRef(new Map<Field, string>());
  const sheet = useRef<Element>(undefined);
  const isTyped = () =>
    [...before.current].some(([field, text]) => field.isConnected && held(field) !== text) ||
    Boolean(sheet.current?.querySelector("[data-unsent]"));
  return {
    asking,
    setAsking,
    /** For the focus and the pointer in the dialog's content. All boxes at once: a box may be ticked without a focus, and unticks another. */
    noteFields: ({ target, currentTarget }: SyntheticEvent) => {
      sheet.current = currentTarget;
      for (const field of [target, ...currentTarget.querySelectorAll(BOXES)])
        if (isField(field) && !before.current.has(field)) before.current.set(field, held(field));
    },
    /** Asks if text would be lost, and returns whether it asks. */
    asksFirst: (): boolean => {
      const isUnsent = unsaved ?? isTyped();
      if (isUnsent) setAsking(true);
      return isUnsent;
    },
  };
}
