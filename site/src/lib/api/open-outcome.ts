import { type Failure, isUnanswered } from "./refusal.ts";

/** What was asked may have been done all the same: nobody said no. `error`: as `ask` or a call of a function throws it. */
export function isOpenOutcome(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && error.code === "unreachable") return true;
  return error.cause !== undefined && isUnanswered(error.cause as Failure);
}
