import { type Failure, isUnanswered } from "./refusal.ts";

/**
 * Whether the request may have been carried out although it failed: the server did not refuse it. `error`: as thrown by
 * `ask` or a function call.
 */
export function isOpenOutcome(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && error.code === "unreachable") return true;
  return error.cause !== undefined && isUnanswered(error.cause as Failure);
}
