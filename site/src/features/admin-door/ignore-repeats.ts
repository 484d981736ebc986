import type { KeyboardEvent } from "react";

/** A key that is held down presses a button once: from Cash it would go on through Exact and Next Sale. */
export function ignoreRepeats(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}
