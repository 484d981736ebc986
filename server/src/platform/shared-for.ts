// One answer for everybody who asks within a while: for what anybody may ask, and what costs something.

/** Calls `ask` at most once in `milliseconds`; whoever comes in between shares the last answer, or waits for it. */
export function sharedFor<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at >= milliseconds) last = { at, answer: ask() };
    return last.answer;
  };
}
