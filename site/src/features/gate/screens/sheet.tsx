import { useLayoutEffect, type ReactNode } from "react";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { Sign } from "../icons.tsx";

/** A panel over the scanner. The browser's own dialog traps focus and closes on Escape. */
export function Sheet({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const frame = useKeptFocus<HTMLDialogElement>();
  const { ref } = frame;
  // The browser returns the focus to what had it, unless the dialog is gone from the page before it closes.
  useLayoutEffect(() => {
    const { current } = ref;
    current?.showModal();
    const first = current?.querySelector<HTMLElement>("[data-first]"); // not the close button
    first?.focus();
    // What is typed or scanned next replaces the text of the last search.
    if (first instanceof HTMLInputElement) first.select();
    return () => current?.close();
  }, [ref]);
  return (
    <dialog
      {...frame}
      className="gate-sheet"
      aria-labelledby="gate-sheet-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="gate-sheet-head">
        <h2 id="gate-sheet-title" className="gate-title">
          {title}
        </h2>
        <button type="button" className="gate-close" aria-label="Close" onClick={onClose}>
          <Sign of="close" />
        </button>
      </div>
      <div className="gate-sheet-body">{children}</div>
    </dialog>
  );
}
