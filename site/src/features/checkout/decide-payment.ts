// From the press of Pay to the provider's decision, also when its answer is late or lost.
import { logError } from "#lib/browser/error-log.ts";
import { UNREACHABLE } from "#lib/api/refusal.ts";
import type { PaymentOutcome, PaymentState } from "./payment/payment-provider.ts";

export type Decision =
  | { kind: "approved" }
  /** The order was cancelled or replaced. */
  | { kind: "canceled" }
  /** The provider has not decided within the time we wait. */
  | { kind: "undecided" }
  /** `isUncertain`: a confirmation whose response was lost may have gone through, so the next one asks first. */
  | { kind: "failed"; reason?: string | undefined; isUncertain?: true };

type Ask = () => Promise<PaymentState>;

const UNEXPECTED = "An unexpected error occurred. Please try again.";
const OFFLINE = `${UNREACHABLE} We'll first check whether this payment went through, so you won't be charged twice.`;

/** Confirms a payment with the provider's form, and waits for what comes of it. Never throws. */
export async function decidePayment(
  ask: Ask,
  confirm: () => Promise<PaymentOutcome>,
  isUncertain: boolean,
): Promise<Decision> {
  try {
    const known = isUncertain ? await decisionOf((await ask()).status, ask) : undefined;
    if (known) return known;
    const outcome = await confirm();
    // A refusal may hide that the payment was decided before, here or on another device.
    const status = outcome.status === "failed" ? await statusOf(ask) : outcome.status;
    return (await decisionOf(status, ask)) ?? { kind: "failed", reason: failureOf(outcome) };
  } catch (error) {
    // The answer may have been lost after the provider had decided.
    const decision = await decisionOf(await statusOf(ask), ask);
    if (decision) return decision;
    logError("pay", error);
    return { kind: "failed", reason: navigator.onLine ? UNEXPECTED : OFFLINE, isUncertain: true };
  }
}

const POLL_MS = 1500;
const POLL_FOR_MS = 90_000;

/** Polls the provider until a payment in progress is decided, for at most 90 seconds. */
export async function awaitDecision(ask: Ask): Promise<Decision> {
  const until = Date.now() + POLL_FOR_MS;
  for (;;) {
    // Without a response, poll again: the payment continues without us.
    const state = (await stateOf(ask)) ?? { status: "processing" };
    if (state.status === "succeeded") return { kind: "approved" };
    if (state.status !== "processing")
      return { kind: "failed", reason: state.status === "open" ? state.failure : undefined };
    if (Date.now() >= until) return { kind: "undecided" };
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

/** Undefined while the payment is open, or the provider does not answer. */
async function decisionOf(
  status: PaymentState["status"] | undefined,
  ask: Ask,
): Promise<Decision | undefined> {
  if (status === "succeeded") return { kind: "approved" };
  if (status === "processing") return awaitDecision(ask);
  return status === "canceled" ? { kind: "canceled" } : undefined;
}

const stateOf = (ask: Ask) => ask().catch(() => undefined);
const statusOf = async (ask: Ask) => (await stateOf(ask))?.status;

const failureOf = (outcome: PaymentOutcome) => (outcome.status === "failed" ? outcome.message : undefined);
