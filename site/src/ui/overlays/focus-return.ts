// Gives the focus back to what opened a dialog. Radix returns it to a trigger of its own alone, and ours are opened by state.
import { useRef } from "react";
import { focusHeading, keptFrameOf } from "./focus-kept.ts";

/** Of the dialog that was opened last: one that takes another's place leads back to where that one was opened. */
let opened: Element | null = null;

export function useFocusReturn() {
  const opener = useRef<Element>(null);
  const frame = useRef<Element>(null);
  return {
    /** To be called before the dialog takes the focus. */
    remember: () => {
      const active = document.activeElement;
      if (active !== document.body) opened = active;
      opener.current = opened;
      frame.current = keptFrameOf(opened);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      opened = null;
      // Whoever closed it may have moved on already: to another dialog, or to what the answer made.
      if (document.activeElement !== document.body) return;
      if (opener.current instanceof HTMLElement) opener.current.focus();
      // It is gone, or busy with the answer.
      if (document.activeElement === document.body) focusHeading(frame.current);
    },
  };
}
