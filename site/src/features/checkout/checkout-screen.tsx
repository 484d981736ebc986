// The three steps of checkout: attendees, payment, confirmation. The route gives the cart and its summary.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { Navigate, useLocation, useNavigate } from "react-router";
import { Stepper } from "#ui/forms/stepper.tsx";
import type { SessionUser } from "#lib/session/session.tsx";
import { forgetAttempt, intentId, rememberedAttempt, type Payment } from "./payment/attempt.ts";
import { AttendeeStep } from "./attendees/attendee-step.tsx";
import { ConfirmationStep } from "./confirmation-step.tsx";
import { finishPayment, type FinishedPayment } from "./payment/finish-payment.ts";
import { checkoutLocation, type CheckoutLocation } from "./location-state.ts";
import { detailsComplete, orderRequest, stepNames, type CheckoutCart, type CheckoutStep } from "./model.ts";
import { announcePaid, usePaidElsewhere } from "./payment/paid-elsewhere.ts";
import { PaymentStep } from "./payment/payment-step.tsx";
import { useHoldRelease } from "./hold/use-hold-release.ts";

interface CheckoutScreenProps {
  user: SessionUser;
  cart: CheckoutCart;
  /** The cart's lines and total. */
  summary: ReactNode;
  /** Why this cart cannot be ordered, shown before anything is typed. */
  refusal: string | undefined;
  /** Orders, tickets or stock have changed. Stays the same function. */
  onChange: () => void;
}

const order: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];

export function CheckoutScreen({ user, cart, summary, refusal, onChange }: CheckoutScreenProps) {
  const location = useLocation();
  const navigate = useNavigate();
  const here = checkoutLocation(location.state);
  const goTo = (state: CheckoutLocation, replace: boolean) => void navigate("/checkout", { state, replace });
  const { finished, finish } = useFinish(user.id, cart, here?.result, (result) => {
    goTo({ step: "confirmation", result }, true);
    onChange();
  });
  const step = finished ? "confirmation" : currentStep(here, cart, user.id);

  async function goToPayment() {
    // Back leads to the details, even from an entry without a step, which would continue the open payment.
    await navigate("/checkout", { state: { step: "attendees" } satisfies CheckoutLocation, replace: true });
    goTo({ step: "payment" }, false);
  }

  useHoldRelease(user.id, onChange);
  const region = useFocusOnChange(step);
  if (!finished && cart.items.length === 0) return <Navigate to="/tickets" replace />;
  return (
    <>
      <h1 className="display text-title">Checkout</h1>
      <Stepper label="Checkout steps" steps={stepNames} current={order.indexOf(step)} className="mt-6" />
      <div ref={region} role="group" aria-label={stepNames[order.indexOf(step)]} className="mt-10">
        {!finished && (
          <h2 tabIndex={-1} className="sr-only">
            {stepNames[order.indexOf(step)]}
          </h2>
        )}
        {finished ? (
          <ConfirmationStep result={finished} />
        ) : (
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-10 lg:grid-cols-[minmax(0,1fr)_23rem]">
            <div className="min-w-0">
              {step === "payment" ? (
                <PaymentStep
                  userId={user.id}
                  cart={cart}
                  onBack={() => goTo({ step: "attendees" }, true)}
                  onSucceeded={(payment) => void finish(payment)}
                />
              ) : (
                <AttendeeStep
                  cart={cart}
                  userEmail={user.email}
                  refusal={refusal}
                  onContinue={() => void goToPayment()}
                />
              )}
            </div>
            <Summary>{summary}</Summary>
          </div>
        )}
      </div>
    </>
  );
}

/**
 * How the payment ended, here or in another tab. `onFinished` is called once it is known; a session that ended keeps the
 * payment open.
 */
function useFinish(
  userId: string,
  cart: CheckoutCart,
  before: FinishedPayment | undefined,
  onFinished: (result: FinishedPayment) => void,
) {
  // Set before the history entry says so, because the emptied cart must not redirect in between.
  const [finished, setFinished] = useState(before);

  async function finish(payment: Payment) {
    // A payment for an earlier basket leaves this one alone.
    const paidThis = rememberedAttempt(userId)?.fingerprint === fingerprintOf(cart);
    const result = await finishPayment(intentId(payment.clientSecret));
    // After signing in again, the attempt leads back to the payment.
    if (result === "signed-out") return;
    if (paidThis && result !== "refunded") announcePaid(userId, result);
    forgetAttempt();
    setFinished(result);
    if (paidThis && result !== "refunded") cart.clear();
    onFinished(result);
  }

  usePaidElsewhere(userId, (result) => {
    // At once: the next storage event empties the cart.
    flushSync(() => setFinished(result));
    onFinished(result);
  });

  return { finished, finish };
}

const fingerprintOf = (cart: CheckoutCart) => JSON.stringify(orderRequest(cart));

/** Payment needs complete details. Without a step in the history, an open payment is continued. */
function currentStep(here: CheckoutLocation | undefined, cart: CheckoutCart, userId: string): CheckoutStep {
  if (!detailsComplete(cart)) return "attendees";
  if (here) return here.step === "payment" ? "payment" : "attendees";
  const remembered = rememberedAttempt(userId);
  return remembered?.payment && remembered.fingerprint === fingerprintOf(cart) ? "payment" : "attendees";
}

/** For the region that holds the step: its heading takes the focus when the step changes. */
function useFocusOnChange(step: CheckoutStep) {
  const region = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    region.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [step]);
  return region;
}

function Summary({ children }: { children: ReactNode }) {
  return (
    <aside
      aria-labelledby="summary-title"
      className="on-ink p-5 shadow-[8px_8px_0_0_var(--color-brisket)] sm:p-6 lg:sticky lg:top-24"
    >
      <h2 id="summary-title" className="display text-heading">
        Order Summary
      </h2>
      <div className="mt-2">{children}</div>
    </aside>
  );
}
