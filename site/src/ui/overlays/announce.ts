// Says a result that is only seen otherwise. One region lasts as long as the frame of the pages, because a region that appears together with
// its words is often not read out; being live, it is also left alone by open dialogs, which hide everything else.

/** The id of the region (arrival.tsx). */
export const ANNOUNCER = "announcer";

export function announce(words: string): void {
  // A new node is read out even when the words are the same.
  document.getElementById(ANNOUNCER)?.replaceChildren(words);
}
