// The step of checkout is kept in the history entry, so that Back and reload work.
import type { CheckoutStep } from "./model.ts";
import type { FinishedPayment } from "./payment/finish-payment.ts";

export interface CheckoutLocation {
  step: CheckoutStep;
  /** Set with the confirmation step. */
  result?: FinishedPayment;
}

const steps: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];
const results: readonly FinishedPayment[] = ["confirmed", "unconfirmed", "refunded"];

/** The step in the history entry; undefined when it holds anything else. */
export function checkoutLocation(state: unknown): CheckoutLocation | undefined {
  if (typeof state !== "object" || state === null || !("step" in state)) return undefined;
  const step = steps.find((known) => known === state.step);
  const result = "result" in state ? results.find((known) => known === state.result) : undefined;
  if (!step || (step === "confirmation" && !result)) return undefined;
  return { step, ...(result && { result }) };
}
