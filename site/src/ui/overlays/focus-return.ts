// Returns focus to the element that opened a dialog. Radix only returns it to its own trigger, and our dialogs are opened by
// state.
import { useRef } from "react";
import { focusHeading, keptFrameOf } from "./focus-kept.ts";

/** The opener of the latest dialog. A dialog that replaces another returns focus to the first one's opener. */
let opened: Element | null = null;

export function useFocusReturn() {
  const opener = useRef<Element>(null);
  const frame = useRef<Element>(null);
  return {
    /** Call it before the dialog takes focus. */
    remember: () => {
      const active = document.activeElement;
      if (active !== document.body) opened = active;
      opener.current = opened;
      frame.current = keptFrameOf(opened);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      opened = null;
      // The user may have moved on already: to another dialog, or to new content.
      if (document.activeElement !== document.body) return;
      if (opener.current instanceof HTMLElement) opener.current.focus();
      // The opener is gone or still busy, and perhaps its frame with it.
      if (document.activeElement === document.body) focusHeading(frame.current);
      if (document.activeElement === document.body) focusHeading(document.querySelector("main"));
    },
  };
}
