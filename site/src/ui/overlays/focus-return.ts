// Gives the focus back to what opened a dialog. Radix returns it to a trigger of its own alone, and ours are opened by state.
import { useRef } from "react";

export function useFocusReturn() {
  const opener = useRef<Element>(null);
  return {
    /** To be called before the dialog takes the focus. */
    remember: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      // Whoever closed it may have moved on already: to another dialog, or to what the answer made.
      if (document.activeElement !== document.body) return;
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}
