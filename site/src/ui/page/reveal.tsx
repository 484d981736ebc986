// Reveals content once a tenth of it is in view. The markup is visible by default: only what is below the fold when the
// script arrives is hidden first, so nothing flashes and nothing is lost without script.
import { useEffect, useRef, type CSSProperties, type ReactNode } from "react";

interface RevealProps {
  /** Delay in milliseconds after coming into view. */
  delay?: number;
  /** Reveal the children one after the other, 100 ms apart, instead of the whole. */
  stagger?: boolean;
  as?: "div" | "ul" | "ol" | "section";
  className?: string;
  children: ReactNode;
}

export function Reveal({ delay = 0, stagger = false, as: Tag = "div", className, children }: RevealProps) {
  const ref = useRef<HTMLElement>(null);
  const attribute = stagger ? "data-reveal-children" : "data-reveal";

  useEffect(() => {
    const element = ref.current;
    if (!element || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const mark = (state: "waiting" | "shown") => element.setAttribute(attribute, state);
    const show = () => {
      observer.disconnect();
      if (element.hasAttribute(attribute)) mark("shown");
    };
    // The observer reports where the element is. Measuring it here would force a layout while the page starts.
    const observer = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, boundingClientRect, rootBounds } = entries.at(-1)!;
        // Reading innerHeight would force a layout for every element marked before.
        const height = rootBounds?.height ?? innerHeight;
        const waiting = element.hasAttribute(attribute);
        if (waiting ? isIntersecting : boundingClientRect.top < height) show();
        else mark("waiting");
      },
      { threshold: 0.1 },
    );
    observer.observe(element);
    element.addEventListener("focusin", show, { once: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("focusin", show);
      element.removeAttribute(attribute);
    };
  }, [attribute]);

  return (
    <Tag ref={ref as never} className={className} style={{ "--reveal-delay": `${delay}ms` } as CSSProperties}>
      {children}
    </Tag>
  );
}
