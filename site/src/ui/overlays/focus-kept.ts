// Keeps the keyboard's place in a frame whose rows disappear with the pressed button: focus moves to the frame's heading instead
// of the top of the page.
import { useEffect, useRef } from "react";

const FRAME = "data-keeps-focus";

/** Spread it on the frame, which must contain a heading. */
export function useKeptFocus<Frame extends HTMLElement = HTMLDivElement>() {
  const frame = useRef<Frame>(null);
  useEffect(() => {
    const root = frame.current!;
    let last: HTMLElement | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement && root.contains(target) ? target : undefined;
    };
    // A press outside any control leaves the frame. An element that already has focus gets no second focus event.
    const onPress = ({ target }: PointerEvent) => {
      if (!last?.contains(target as Node)) last = undefined;
    };
    const observer = new MutationObserver(() => {
      if (!last || document.activeElement !== document.body) return;
      // A button that was only busy is still the same element.
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
