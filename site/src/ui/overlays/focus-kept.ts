// Keeps the keyboard's place in a frame whose rows go away with the button that was pressed: the focus goes to the frame's heading
// instead of the top of the page.
import { useEffect, useRef } from "react";

const FRAME = "data-keeps-focus";

/** To be spread on the frame, which has a heading. */
export function useKeptFocus() {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = frame.current!;
    let last: HTMLElement | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement && root.contains(target) ? target : undefined;
    };
    // Whoever presses beside everything leaves the frame. What has the focus already gets no second event of it.
    const onPress = ({ target }: PointerEvent) => {
      if (!last?.contains(target as Node)) last = undefined;
    };
    const observer = new MutationObserver(() => {
      if (!last || document.activeElement !== document.body) return;
      // Of a button that was only busy, it is the same one again.
      if (last.isConnected) last.focus();
      else focusHeading(root);
    });
    document.addEventListener("focusin", onFocus);
    document.addEventListener("pointerdown", onPress);
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("pointerdown", onPress);
      observer.disconnect();
    };
  }, []);
  return { ref: frame, [FRAME]: "" };
}

/** The frame around an element, if it has one. */
export const keptFrameOf = (element: Element | null): Element | null =>
  element?.closest(`[${FRAME}]`) ?? null;

export function focusHeading(frame: Element | null): void {
  const heading = frame?.querySelector<HTMLElement>("h1, h2, h3, h4");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}
