// A thousand changes a second must not mean a thousand refetches.

export interface Coalesced {
  (): void;
  /** Forgets a run that is still due. */
  cancel(): void;
}

/** Runs at the first call, then at most once in `everyMs`; calls in between end in one run more, so the last one counts. */
export function coalesce(run: () => void, everyMs: number): Coalesced {
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
