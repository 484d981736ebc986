// Why a call failed before it was answered.

export const NOT_RENEWED = "The session could not be renewed";
export const OUT_OF_TIME = "TimeoutError";
/** Nothing else aborts a call. Chromium names one so whose answer had begun. */
const OUT_OF_TIME_NAMES = /TimeoutError|AbortError/;

/** Whether the error comes from a call that took too long. The client libraries keep only its name, in their message. */
export function isOutOfTime(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, message, cause } = error as Partial<Error>;
  return OUT_OF_TIME_NAMES.test(`${name} ${message}`) || isOutOfTime(cause);
}
