// The three steps of checkout: attendees, payment, confirmation. The route provides the cart and its summary.
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from "react";
import { Link, Navigate, useLocation, useNavigate } from "react-router";
import { Card } from "#ui/page/card.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { toast } from "#ui/overlays/toast.ts";
import { BackToTickets } from "./back-to-tickets.tsx";
import { Stepper } from "#ui/forms/stepper.tsx";
import { useFestival } from "#lib/festival/content.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { AttendeeStep } from "./attendees/attendee-step.tsx";
import { ConfirmationStep } from "./confirmation-step.tsx";
import { stepNames, type CheckoutCart, type CheckoutStep, type Pricing } from "./model.ts";
import { PaymentStep } from "./payment/payment-step.tsx";
import { focusPromoField, leavePromoField } from "./promo/promo-code-form.tsx";
import type { PromoQuote } from "./promo/use-promo-quote.ts";
import { currentStep, historyEntry, verificationFailed, type HistoryEntry } from "./state.ts";
import { useCheckout, type useCheckoutState } from "./use-checkout.ts";

interface CheckoutScreenProps {
  user: SessionUser;
  tab: Pick<ReturnType<typeof useCheckoutState>, "state" | "dispatch">;
  cart: CheckoutCart;
  pricing: Pricing;
  promo: PromoQuote["state"];
  /** The cart's lines and total. The promo code can be changed in it before payment. */
  summary: (isEditable: boolean) => ReactNode;
  /** Why this cart cannot be ordered, shown before anything is typed. */
  refusal: string | undefined;
  /** The notice that nothing is on sale right now. */
  closed: ReactNode;
  /** Updates the cart to today's prices; undefined while they are current or its tickets are held. */
  takePrices: (() => void) | undefined;
  /** Orders, tickets or stock have changed. The function must be stable. */
  onChange: () => void;
}

const order: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];

export function CheckoutScreen(props: CheckoutScreenProps) {
  const { user, tab, cart, onChange } = props;
  const location = useLocation();
  const navigate = useNavigate();
  const goTo = (entry: HistoryEntry, replace: boolean) => navigate("/checkout", { state: entry, replace });
  const paid = tab.state.name === "paid" ? tab.state.paid : undefined;
  const asked = historyEntry(location.state);
  const open = currentStep(asked?.step, cart);
  const step = paid ? "confirmation" : open;
  const isOpen = !paid && cart.items.length > 0;
  const conclude = (orderId: string) => {
    void goTo({ step: "confirmation", orderId }, true);
    onChange();
  };
  const payment = useCheckout({
    ...{ ...tab, userId: user.id, cart, pricing: props.pricing, onChange },
    isAtPayment: isOpen && open === "payment",
    onPaidLater: conclude,
  });
  useStepTitle(step);
  useStepInHistory(isOpen && open !== asked?.step ? open : undefined);
  useOncePaid(paid?.orderId, (orderId) => {
    // Unless the page was reloaded at its confirmation.
    if (asked?.orderId !== orderId) conclude(orderId);
  });
  const elsewhere = useChangedElsewhere(cart, paid !== undefined);
  const unverified = verificationFailed(location.state);
  const goToPayment = useOncePromoIsKnown(props.promo, () => {
    elsewhere.accept();
    void goTo({ step: "payment" }, false);
  });

  if (!paid && !isOpen && !unverified) return <Navigate to="/tickets" replace />;
  return (
    <>
      <h1 className="display text-title">Checkout</h1>
      {!paid && !isOpen ? (
        <NotVerified />
      ) : (
        <>
          <Stepper label="Checkout steps" steps={stepNames} current={order.indexOf(step)} className="mt-6" />
          {unverified && <NotVerified />}
          {elsewhere.changed && !paid && <ChangedElsewhere />}
          <StepRegion step={step}>
            {paid ? (
              <ConfirmationStep {...paid} isCartLeft={paid.isCartLeft === true && cart.items.length > 0} />
            ) : (
              <OpenSteps
                {...props}
                {...{ payment }}
                step={open}
                onBack={() => void goTo({ step: "attendees" }, true)}
                onContinue={goToPayment}
              />
            )}
          </StepRegion>
        </>
      )}
    </>
  );
}

interface OpenStepsProps extends CheckoutScreenProps {
  step: "attendees" | "payment";
  payment: ReturnType<typeof useCheckout>;
  onBack: () => void;
  onContinue: () => void;
}

/** Every step but the last, next to the order summary. */
function OpenSteps({
  step,
  tab,
  payment,
  user,
  cart,
  pricing,
  takePrices,
  onChange,
  ...props
}: OpenStepsProps) {
  return (
    <>
      <h2 tabIndex={-1} className="sr-only">
        {stepNames[order.indexOf(step)]}
      </h2>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-10 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="min-w-0">
          {step === "payment" ? (
            <PaymentStep
              {...tab}
              {...{ payment, cart, pricing, takePrices }}
              onStale={onChange}
              onBack={props.onBack}
            />
          ) : (
            <AttendeeStep
              {...{ cart, takePrices }}
              user={user}
              refusal={props.refusal}
              closed={props.closed}
              onContinue={props.onContinue}
            />
          )}
        </div>
        <Summary>{props.summary(step === "attendees")}</Summary>
      </div>
    </>
  );
}

function ChangedElsewhere() {
  return (
    <Card role="alert" tone="warning" padding="small" className="mt-6">
      <strong>Your cart changed in another tab.</strong> Please check the tickets and who they are for.
    </Card>
  );
}

/** Whether another tab has changed the cart since the buyer last continued to payment. */
function useChangedElsewhere(cart: CheckoutCart, finished: boolean) {
  const [accepted, setAccepted] = useState(cart.changedElsewhere);
  const changed = cart.changedElsewhere > accepted;
  const emptied = changed && !finished && cart.items.length === 0;
  useEffect(() => {
    if (emptied) toast.show("Your cart changed in another tab.", "It is empty now.");
  }, [emptied]);
  return { changed, accept: () => setAccepted(cart.changedElsewhere) };
}

/** The payment in the return address could not be verified. */
function NotVerified() {
  return (
    <ErrorState title="Payment Verification Failed" className="mt-6" action={<BackToTickets />}>
      Could not verify your payment. Please contact support. If the payment went through, you'll find the
      order in{" "}
      <Link to="/dashboard" className="font-semibold underline">
        your account
      </Link>
      .
    </ErrorState>
  );
}

/**
 * Goes on once it is known what the promo code is worth. If it is refused only now, the buyer stays and reads why; the next press
 * continues without it.
 */
function useOncePromoIsKnown(promo: PromoQuote["state"], goOn: () => void): () => void {
  /** The state when the buyer pressed, until the press is answered. */
  const [pressedAt, setPressedAt] = useState<PromoQuote["state"]>();
  const proceed = useEffectEvent(goOn);
  useEffect(() => {
    if (pressedAt === undefined || promo === "checking") return;
    setPressedAt(undefined);
    if (promo === "applied" || promo === "none" || promo === pressedAt) proceed();
    else focusPromoField();
  }, [promo, pressedAt]);
  return () => {
    leavePromoField();
    setPressedAt(promo);
  };
}

/**
 * Writes the step into the history entry, if there is one to write, next to what the entry says already. The buyer may be
 * scrolling or pressing a button by then, so the page stays where it is.
 */
function useStepInHistory(step: CheckoutStep | undefined) {
  const { state } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (step === undefined) return;
    void navigate("/checkout", { state: { ...state, step }, replace: true, preventScrollReset: true });
  }, [step, state, navigate]);
}

/** Here or in another tab. */
function useOncePaid(orderId: string | undefined, onPaid: (orderId: string) => void): void {
  const conclude = useEffectEvent(onPaid);
  useEffect(() => {
    if (orderId !== undefined) conclude(orderId);
  }, [orderId]);
}

const titles = { attendees: "Checkout", payment: "Payment", confirmation: "Order Confirmed" };

/** Each step is a page to its visitor; the route knows only the first. */
function useStepTitle(step: CheckoutStep) {
  const { title } = useFestival();
  useEffect(() => {
    document.title = `${titles[step]} | ${title}`;
  }, [step, title]);
}

/** Its heading receives focus when the step changes, and when what had the focus is gone. */
function StepRegion({ step, children }: { step: CheckoutStep; children: ReactNode }) {
  const kept = useKeptFocus();
  const region = kept.ref;
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    region.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [region, step]);
  return (
    <div {...kept} role="group" aria-label={stepNames[order.indexOf(step)]} className="mt-10">
      {children}
    </div>
  );
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
