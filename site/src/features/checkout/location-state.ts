// The step of checkout is kept in the history entry, so that Back and reload work.
import type { CheckoutStep, Finished, FinishedPayment } from "./model.ts";

export interface CheckoutLocation {
  step: CheckoutStep;
  /** The key of the attempt whose order this entry's payment is for, once it is placed. */
  attempt?: string;
  /** Set with the confirmation step. */
  finished?: Finished & { userId: string };
}

const steps: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];
const results: readonly FinishedPayment[] = ["confirmed", "unconfirmed", "refunded"];

/**
 * The step in the history entry; undefined when it holds anything else. Back reaches the entries of whoever was signed in before,
 * so another user's confirmation is ignored.
 */
export function checkoutLocation(state: unknown, userId: string): CheckoutLocation | undefined {
  if (typeof state !== "object" || state === null || !("step" in state)) return undefined;
  const step = steps.find((known) => known === state.step);
  const finished = "finished" in state ? readFinished(state.finished, userId) : undefined;
  if (!step || (step === "confirmation" && !finished)) return undefined;
  const attempt = "attempt" in state && typeof state.attempt === "string" ? { attempt: state.attempt } : {};
  return { step, ...attempt, ...(finished && { finished }) };
}

function readFinished(stored: unknown, userId: string): CheckoutLocation["finished"] {
  const {
    userId: whose,
    result,
    orderId,
    email,
    reason,
    isCartLeft,
  } = (stored ?? {}) as Partial<Record<"userId" | keyof Finished, unknown>>;
  const known = whose === userId ? results.find((one) => one === result) : undefined;
  return (
    known && {
      userId,
      result: known,
      ...(typeof orderId === "string" && { orderId }),
      ...(typeof email === "string" && { email }),
      ...(typeof reason === "string" && { reason }),
      ...(isCartLeft === true && { isCartLeft }),
    }
  );
}

/** Whether a failed verification is recorded in the history entry of /checkout. */
export function verificationFailed(state: unknown): boolean {
  return typeof state === "object" && state !== null && "verificationFailed" in state;
}
