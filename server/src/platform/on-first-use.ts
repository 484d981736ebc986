// Parts that are loaded and made with their first use: a start waits for none of them.
export interface OnFirstUse<T> {
  get(): Promise<T>;
  /** Undefined when it was never used, so that stopping does not make it. */
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
