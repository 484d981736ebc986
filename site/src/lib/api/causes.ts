// Why a call failed before it was answered.

export const NOT_RENEWED = "The session could not be renewed";
export const OUT_OF_TIME = "TimeoutError";

/** Whether the error comes from a call that took too long. The client libraries keep only its name, in their message. */
export function isOutOfTime(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, message, cause } = error as Partial<Error>;
  return name === OUT_OF_TIME || (message?.includes(OUT_OF_TIME) ?? false) || isOutOfTime(cause);
}
