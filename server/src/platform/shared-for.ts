// One answer shared by everyone who asks within a short time: for costly checks that anyone may request.

/** Calls `ask` at most once in `milliseconds`; callers in between share the last answer, or wait for it. */
export function sharedFor<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at >= milliseconds) last = { at, answer: ask() };
    return last.answer;
  };
}
