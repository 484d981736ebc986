// Where checkout is lies in the history entry: Back and reload keep it.
import type { CheckoutStep } from "./model.ts";
import type { FinishedPayment } from "./payment/finish-payment.ts";

export interface CheckoutLocation {
  step: CheckoutStep;
  /** Set with the confirmation step. */
  result?: FinishedPayment;
}

const steps: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];
const results: readonly FinishedPayment[] = ["confirmed", "unconfirmed", "refunded"];

/** What the history entry says; nothing when it says something else. */
export function checkoutLocation(state: unknown): CheckoutLocation | undefined {
  if (typeof state !== "object" || state === null || !("step" in state)) return undefined;
  const step = steps.find((known) => known === state.step);
  const result = "result" in state ? results.find((known) => known === state.result) : undefined;
  if (!step || (step === "confirmation" && !result)) return undefined;
  return { step, ...(result && { result }) };
}
