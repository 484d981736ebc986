// Parts that are loaded and created on first use, so that a start waits for none of them.
export interface OnFirstUse<T> {
  get(): Promise<T>;
  /** Undefined when it was never used, so that stopping does not create it. */
  loaded(): Promise<T> | undefined;
}

/** A failed load is retried on the next call. */
export function onFirstUse<T>(make: () => Promise<T>): OnFirstUse<T> {
  let made: Promise<T> | undefined;
  return {
    get: () =>
      (made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      })),
    loaded: () => made,
  };
}
