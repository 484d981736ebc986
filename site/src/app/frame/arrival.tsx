// After a change of route: moves the focus to the new heading and announces the title, as a full page load would. Within a page it
// keeps the focus where a control disappears, and says which one is busy.
import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { announce, ANNOUNCER } from "#ui/overlays/announce.ts";
import { keepFocus } from "#ui/overlays/focus-kept.ts";
import { sayBusyControls } from "#ui/overlays/said-busy.ts";

export function Arrival() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(sayBusyControls, []);
  useEffect(() => keepFocus(document.querySelector("main")!), []);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    announce(document.title);
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
  // A form submitted early has said its problems here before React takes the region over. With a text of its own, React keeps them.
  return (
    <p id={ANNOUNCER} aria-live="polite" className="sr-only" suppressHydrationWarning>
      {""}
    </p>
  );
}
