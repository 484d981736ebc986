import { useRef, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import { UNREACHABLE } from "#lib/api/refusal.ts";
import { toast } from "#ui/overlays/toast.ts";
import { awaitPayment } from "./await-payment.ts";
import { hasLeft } from "./has-left.ts";
import type { PaymentFormProps, PaymentOutcome, PaymentProvider } from "./payment-provider.ts";
import { underWay } from "./under-way.ts";

interface Submission {
  userId: string;
  clientSecret: string;
  retrieve: PaymentProvider["retrieve"];
  onSucceeded: () => void;
}

const UNEXPECTED = "An unexpected error occurred. Please try again.";
const OFFLINE = `${UNREACHABLE} We'll first check whether this payment went through, so you won't be charged twice.`;

/** The states of the payment form: idle, processing, succeeded, failed (PRODUCT 6.6). */
export function usePaymentSubmission({ userId, clientSecret, retrieve, onSucceeded }: Submission) {
  const { phase, message, late, setLate, begin, fail, succeed } = usePhase(onSucceeded);
  /** The order was cancelled, or replaced on another device. */
  const [isGone, setIsGone] = useState(false);
  // A confirmation whose response was lost may have gone through, so the next one checks first.
  const uncertain = useRef(false);
  const running = useRef(false);

  async function outcomeOf(confirm: () => Promise<PaymentOutcome>): Promise<PaymentOutcome> {
    if (uncertain.current) {
      const { status } = await retrieve(clientSecret);
      uncertain.current = false;
      if (status === "succeeded" || status === "processing") return { status };
    }
    return confirm();
  }

  async function settle(): Promise<void> {
    const { status } = await awaitPayment(retrieve, clientSecret);
    if (await hasLeft(userId)) return;
    if (status === "succeeded") succeed();
    else if (status === "processing") setLate(true);
    else fail(undefined);
  }

  /** Shows how the payment stands, unless it is still open or the provider does not answer. Returns whether it did. */
  async function isDecided(): Promise<boolean> {
    const state = await retrieve(clientSecret).catch(() => undefined);
    if (state?.status === "succeeded") succeed();
    else if (state?.status === "processing") await settle();
    else if (state?.status === "canceled") setIsGone(true);
    else return false;
    return true;
  }

  async function pay(confirm: () => Promise<PaymentOutcome>): Promise<void> {
    if (running.current || phase === "succeeded") return;
    const permission = rateLimiter.take("payment", userId);
    if (!permission.allowed) return fail(waitMessage(permission.retryAfterMs));
    running.current = true;
    begin();
    try {
      const outcome = await outcomeOf(confirm);
      if (await hasLeft(userId)) return;
      if (outcome.status === "succeeded") succeed();
      else if (outcome.status === "processing") await settle();
      else if (outcome.status === "canceled") setIsGone(true);
      else if (!(await isDecided())) fail(outcome.message);
    } catch (error) {
      // The answer may have been lost after the provider had decided.
      if ((await hasLeft(userId)) || (await isDecided())) return;
      logError("pay", error);
      uncertain.current = true;
      fail(navigator.onLine ? UNEXPECTED : OFFLINE);
    } finally {
      running.current = false;
    }
  }

  return {
    phase,
    message,
    late,
    isGone,
    pay: (confirm: () => Promise<PaymentOutcome>) => void underWay(pay(confirm)),
  };
}

/** The form's view of its payment. */
function usePhase(onSucceeded: () => void) {
  const [phase, setPhase] = useState<PaymentFormProps["phase"]>("idle");
  const [message, setMessage] = useState<string>();
  /** The provider has not decided within the time we wait. */
  const [late, setLate] = useState(false);

  const takeBackFailure = useRef<() => void>(undefined);

  function begin() {
    // The old message would cover the bank's dialog of this attempt.
    takeBackFailure.current?.();
    setPhase("processing");
    setMessage(undefined);
  }

  function fail(reason: string | undefined) {
    setPhase("failed");
    // A provider may refuse without a message.
    setMessage(reason || "Payment failed");
    takeBackFailure.current = toast.error(
      "Payment Failed",
      reason || "Please check your payment details and try again.",
    );
  }

  function succeed() {
    setPhase("succeeded");
    setMessage(undefined);
    onSucceeded();
  }

  return { phase, message, late, setLate, begin, fail, succeed };
}
