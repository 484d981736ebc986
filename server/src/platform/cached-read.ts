// A value read once and cached until forget(). Once known, it is returned without a promise, so that requests need not wait.
export interface CachedRead<T extends object> {
  current(): T | Promise<T>;
  /** The next call reads again, and a read in progress is not cached. */
  forget(): void;
}

/** Concurrent callers share one read. A failed read is retried on the next call. */
export function cachedRead<T extends object>(read: () => Promise<T>): CachedRead<T> {
  let known: T | undefined;
  let reading: Promise<T> | undefined;
  return {
    current() {
      if (known) return known;
      const started = (reading ??= read());
      return started.then(
        (found) => {
          if (reading === started) known = found;
          return found;
        },
        (error: unknown) => {
          if (reading === started) reading = undefined;
          throw error;
        },
      );
    },
    forget() {
      known = undefined;
      reading = undefined;
    },
  };
}
