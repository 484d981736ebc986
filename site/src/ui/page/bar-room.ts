// Keeps a bar that stays at an edge of the window from covering what receives the focus (WCAG 2.4.11). Its height depends on what
// it says and on the text size, so it is measured.
import { useEffect, useRef } from "react";

/** Around a focused control: its ring, and a little of what it belongs to. */
const GAP_PX = 16;

/** The bar's ref. */
export function useBarRoom<Bar extends HTMLElement = HTMLDivElement>(edge: "top" | "bottom") {
  const bar = useRef<Bar>(null);
  useEffect(() => {
    const shown = bar.current!;
    const { style } = document.documentElement;
    const property = `scroll-padding-${edge}`;
    const observer = new ResizeObserver(() => {
      const computed = getComputedStyle(shown);
      const stays = /sticky|fixed/.test(computed.position);
      const room = Number.parseFloat(computed[edge]) + shown.offsetHeight + GAP_PX;
      if (stays) style.setProperty(property, `${room}px`);
      else style.removeProperty(property);
    });
    observer.observe(shown);
    return () => {
      observer.disconnect();
      style.removeProperty(property);
    };
  }, [edge]);
  return bar;
}
