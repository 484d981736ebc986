// After a change of route: moves the focus to the new heading and announces the title, as a full page load would.
import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

export function Arrival() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    said.current!.textContent = document.title;
    const main = document.querySelector("main")!;
    // A page whose script is still loading has no heading yet.
    const observer = new MutationObserver(focusHeading);
    function focusHeading() {
      const heading = main.querySelector("h1");
      if (!heading) return;
      observer.disconnect();
      // A form may have focused its first field.
      if (main.contains(document.activeElement) && document.activeElement !== main) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    observer.observe(main, { childList: true, subtree: true });
    focusHeading();
    return () => observer.disconnect();
  }, [pathname]);
  return <p ref={said} aria-live="polite" className="sr-only" />;
}
