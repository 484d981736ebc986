// What a page load does for those who do not see the screen change: after a change of route the heading has the focus and
// the new title is said.
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
    // The heading of a page whose script is still on its way comes later.
    const observer = new MutationObserver(focusHeading);
    function focusHeading() {
      const heading = main.querySelector("h1");
      if (!heading) return;
      observer.disconnect();
      // A form that put the cursor into its first field knows better.
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
