// What is read once and kept until it is forgotten. Known, it is there without a promise: requests do not wait for each other.
export interface Kept<T extends object> {
  current(): T | Promise<T>;
  /** The next call reads again, and what is being read is not kept. */
  forget(): void;
}

/** Whoever comes while it is being read shares that read. A failed one is retried on the next call. */
export function kept<T extends object>(read: () => Promise<T>): Kept<T> {
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
