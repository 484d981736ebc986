import { useEffect } from "react";
import { useFestival } from "#lib/festival/content.ts";
import { focusHeading } from "#ui/overlays/focus-kept.ts";

/** Each step of the gate is a page to its visitor: it gets its heading as title, and the focus that the last step took with it. */
export function useStep(heading: string): void {
  const { title } = useFestival();
  const full = `${heading} | ${title}`;
  useEffect(() => {
    if (document.title === full) return;
    document.title = full;
    const main = document.querySelector("main");
    // A form may have focused its first field.
    if (!main?.contains(document.activeElement)) focusHeading(main);
  }, [full]);
}
