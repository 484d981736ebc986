// Turns a thousand changes a second into a few refetches.

export interface Coalesced {
  (): void;
  /** Cancels a pending run. */
  cancel(): void;
}

/** Runs on the first call, then at most once every `everyMs`. Calls in between cause one more run, so the last one counts. */
export function coalesce(run: () => unknown, everyMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = false;
  const pause = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!due) return;
      due = false;
      pause();
      run();
    }, everyMs);
  };
  const call = () => {
    if (timer) {
      due = true;
      return;
    }
    pause();
    run();
  };
  return Object.assign(call, {
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      due = false;
    },
  });
}
