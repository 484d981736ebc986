// Keeps the keyboard's place when the focused control disappears: focus moves to the heading nearest to where it was, instead of
// the top of the page.
import { useEffect, useRef } from "react";

const FRAME = "data-keeps-focus";
const HEADINGS = "h1, h2, h3, h4";
/** What begins with its heading. */
const PARTS = `[${FRAME}], article, section, main`;
const TEXT_FIELDS = "textarea, input:not([type=checkbox], [type=radio], [type=file])";

/** Where the focus was last. */
interface Place {
  control: HTMLElement;
  /** The parts of the page that contained it, from the inside out. */
  around: readonly Element[];
  isVisible: boolean;
  path: string;
}

/** Spread it on the frame, which must contain a heading. */
export function useKeptFocus<Frame extends HTMLElement = HTMLDivElement>() {
  const frame = useRef<Frame>(null);
  useEffect(() => keepFocus(frame.current!), []);
  return { ref: frame, [FRAME]: "" };
}

/** Keeps it within `root` until the returned function is called. */
export function keepFocus(root: HTMLElement): () => void {
  let last: Place | undefined;
  const onFocus = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement && root.contains(target) ? placeOf(target, root) : undefined;
  };
  // A press outside any control leaves the frame. An element that already has focus gets no second focus event.
  const onPress = ({ target }: PointerEvent) => {
    if (!last?.control.contains(target as Node)) last = undefined;
  };
  const observer = new MutationObserver(() => {
    if (last && document.activeElement === document.body) returnTo(last);
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPress);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPress);
    observer.disconnect();
  };
}

function placeOf(control: HTMLElement, root: Element): Place {
  const around: Element[] = [];
  for (let part = control.closest(PARTS); part && root.contains(part);) {
    around.push(part);
    part = part.parentElement?.closest(PARTS) ?? null;
  }
  return { control, around, isVisible: control.matches(":focus-visible"), path: location.pathname };
}

function returnTo({ control, around, isVisible, path }: Place): void {
  // Another page receives the focus when it is shown.
  if (location.pathname !== path) return;
  if (!control.isConnected) {
    const left = around.find((one) => one.isConnected && one.querySelector(HEADINGS));
    // A page must not jump under a pointer.
    focusHeading(left ?? null, { preventScroll: !isVisible });
  } else if (!control.matches(TEXT_FIELDS)) {
    // It was only disabled. A text field was left: on a phone, by closing the keyboard.
    control.focus();
  }
}

/** The frame around an element, if it has one. */
export const keptFrameOf = (element: Element | null): Element | null =>
  element?.closest(`[${FRAME}]`) ?? null;

export function focusHeading(frame: Element | null, options?: FocusOptions): void {
  const heading = frame?.querySelector<HTMLElement>(HEADINGS);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus(options);
}
