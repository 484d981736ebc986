// A text over its limit stays whole and is named as a mistake: an input that stopped at the limit would cut off the end of what was
// pasted without a word.
import { type RefObject, useEffect, useState } from "react";
import { tooLong } from "contract/text-limits";

/** The mistake of the text control in the box, while it has too much. Until it is mended, its form is not submitted. */
export function useTooLong(
  box: RefObject<HTMLElement | null>,
  limit: number | undefined,
): string | undefined {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const control = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
    if (limit === undefined || !control) return;
    const look = () => {
      const found = tooLong(control.value, limit);
      setProblem(found);
      return found;
    };
    function hold(event: Event) {
      if (look() === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      control!.focus();
    }
    const { form } = control;
    look(); // what a draft brought back
    control.addEventListener("input", look);
    form?.addEventListener("submit", hold);
    return () => {
      control.removeEventListener("input", look);
      form?.removeEventListener("submit", hold);
    };
  });
  return problem;
}
