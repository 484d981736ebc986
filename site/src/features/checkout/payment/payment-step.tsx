// The second step: the provider's form, or what is shown instead of it in each state of checkout.
import { ArrowLeft } from "lucide-react";
import { useEffect, type Dispatch, type ReactNode } from "react";
import { Link } from "react-router";
import { FunctionError } from "#lib/api/functions.ts";
import { Button } from "#ui/basics/button.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { TermsNote } from "#ui/forms/terms-note.tsx";
import type { CheckoutCart, Pricing } from "../model.ts";
import { processPayment } from "../queries.ts";
import type { CheckoutEvent, CheckoutState, Refusal } from "../state.ts";
import type { useCheckout } from "../use-checkout.ts";
import { WaitingRoom } from "../waiting-room/waiting-room.tsx";
import { Finishing } from "./finishing.tsx";
import { HoldCountdown, useHoldLeft } from "./hold-countdown.tsx";
import type { PaymentFormProps, PaymentProvider } from "./payment-provider.ts";
import {
  HoldEndedState,
  HoldReplacedState,
  OpeningSkeleton,
  PriceChangedState,
  PromoRefusedState,
  SalesClosedState,
  SetupFailedState,
  ShortageState,
} from "./refusals.tsx";

interface PaymentStepProps {
  state: CheckoutState;
  dispatch: Dispatch<CheckoutEvent>;
  payment: ReturnType<typeof useCheckout>;
  cart: CheckoutCart;
  pricing: Pricing;
  /** Updates the cart to today's prices; undefined while they are current. */
  takePrices: (() => void) | undefined;
  /** The known prices and stock are out of date. The function must be stable. */
  onStale: () => void;
  onBack: () => void;
}

export function PaymentStep(step: PaymentStepProps) {
  const { pricing, onBack } = step;
  const { data: provider, isError, refetch } = step.payment.provider;
  if (!provider) return <NoProvider failed={isError} onRetry={() => void refetch()} onBack={onBack} />;
  if (pricing.state === "unknown") {
    return (
      <>
        <SetupFailedState message={pricing.message ?? ""} onRetry={pricing.retry} />
        <BackButton onBack={onBack} />
      </>
    );
  }
  return <Shown {...step} provider={provider} />;
}

function Shown({ provider, ...step }: PaymentStepProps & { provider: PaymentProvider }) {
  const { state, payment, onBack } = step;
  switch (state.name) {
    case "attendees":
    case "opening":
    case "paid":
      return <OpeningSkeleton />;
    case "waiting":
      return (
        <>
          <WaitingRoom first={state.line} signedIn onAdmitted={() => payment.again()} />
          <BackButton onBack={onBack} />
        </>
      );
    case "paying":
      return <OpenPayment key={state.order.clientSecret} {...step} {...{ provider, state }} />;
    case "deciding":
      return state.isEarlier ? (
        <Finishing className="border-2 border-ink bg-sheet p-6">
          Your payment is already under way. Please wait while we finish it...
        </Finishing>
      ) : (
        <OpenPayment key={state.order.clientSecret} {...step} {...{ provider, state }} />
      );
    case "late":
      return <StillProcessing />;
    default:
      return <NotOpened {...step} state={state} />;
  }
}

type NotOpenedName = Refusal["name"] | "hold-ended" | "replaced";

/** Refused, or held no longer, with what the buyer can do about it. */
function NotOpened(step: PaymentStepProps & { state: Extract<CheckoutState, { name: NotOpenedName }> }) {
  const { state, payment, cart, takePrices, onStale, onBack } = step;
  const onAgain = () => payment.again();
  const onHoldAgain = () => payment.again("anew");
  switch (state.name) {
    case "short":
      return (
        <ShortageState
          {...state}
          items={cart.items}
          onUpdate={() => {
            for (const { id, available } of state.shortages)
              cart.change({ type: "set-quantity", id, quantity: available });
            // With fewer tickets, the buyer checks the remaining attendees.
            onBack();
          }}
        />
      );
    case "price-changed":
      return (
        <PriceChangedState message={state.message} {...{ cart, takePrices, onStale }} onContinue={onAgain} />
      );
    case "promo-refused":
      return (
        <PromoRefusedState
          message={state.message}
          {...{ onStale, onBack }}
          onContinue={() => {
            cart.change({ type: "set-promo-code", code: undefined });
            onAgain();
          }}
        />
      );
    case "closed":
      return <SalesClosedState message={state.message} />;
    case "failed":
      return (
        <>
          <SetupFailedState message={state.message} onRetry={onAgain} />
          <BackButton onBack={onBack} />
        </>
      );
    case "hold-ended":
      return <HoldEndedState {...{ onHoldAgain }} />;
    case "replaced":
      return <HoldReplacedState {...{ onHoldAgain }} />;
  }
}

/** The order costs nothing, so the buyer confirms it without paying. */
function NothingToPay({
  orderId,
  phase,
  problem,
  closed,
  onPay,
}: Pick<PaymentFormProps, "phase" | "problem" | "closed" | "onPay"> & { orderId: string }) {
  const confirm = () =>
    processPayment({ orderId }).then(
      () => ({ status: "succeeded" as const }),
      (error: unknown) => {
        // Without a response it may still be confirmed: the next attempt finds out.
        if (!(error instanceof FunctionError) || error.code === "unauthorized") throw error;
        if (error.code === "order_cancelled") return { status: "canceled" as const };
        return { status: "failed" as const, message: error.message };
      },
    );
  return (
    <>
      <p className="border-2 border-ink bg-sheet p-5 text-lg font-semibold">
        There is nothing to pay. Confirm your order to get your tickets.
      </p>
      {problem}
      <Button
        size="large"
        block
        className="mt-6"
        busy={phase === "processing" || phase === "succeeded"}
        disabled={closed}
        onClick={() => onPay(confirm)}
      >
        Confirm Order
      </Button>
    </>
  );
}

interface NoProviderProps {
  failed: boolean;
  onRetry: () => void;
  onBack: () => void;
}

function NoProvider({ failed, onRetry, onBack }: NoProviderProps) {
  return (
    <>
      {failed ? (
        <ErrorState title="Payment system unavailable. Please try again later." onRetry={onRetry}>
          Check your connection. You have not been charged, and your entries are saved.
        </ErrorState>
      ) : (
        <OpeningSkeleton />
      )}
      <BackButton onBack={onBack} />
    </>
  );
}

interface OpenPaymentProps extends PaymentStepProps {
  provider: PaymentProvider;
  state: Extract<CheckoutState, { name: "paying" | "deciding" }>;
}

/** The form, which stays as it is while the payment is decided. */
function OpenPayment({ state, dispatch, payment, provider, cart, onBack }: OpenPaymentProps) {
  const { order } = state;
  const left = useHoldLeft(order.heldUntil);
  const isDeciding = state.name === "deciding";
  const isApproved = isDeciding && state.isApproved;
  const problem = isDeciding ? undefined : state.problem;
  useEffect(() => {
    if (left === 0 && !isDeciding) dispatch({ type: "end-hold" });
  }, [left, isDeciding, dispatch]);
  const isFree = order.clientSecret === "";
  const form = {
    phase: isApproved ? "succeeded" : isDeciding ? "processing" : problem === undefined ? "idle" : "failed",
    problem: problem !== undefined && <Problem>{problem}</Problem>,
    closed: left === 0,
    onPay: (confirm) => payment.pay(order, confirm),
  } satisfies Partial<PaymentFormProps>;
  return (
    <>
      {left !== undefined && <HoldCountdown left={left} isFree={isFree} />}
      <div className="mt-6">
        {isFree ? (
          <NothingToPay orderId={order.orderId} {...form} />
        ) : (
          <provider.Form
            clientSecret={order.clientSecret}
            amount={cart.total}
            buyer={cart.buyerInfo}
            {...form}
          />
        )}
      </div>
      {isApproved && <Finishing className="mt-4">Payment approved. Finishing your order...</Finishing>}
      <TermsNote doing={isFree ? "confirming" : "paying"} className="mt-4 text-sm" />
      <BackButton onBack={onBack} disabled={isDeciding} />
    </>
  );
}

/** No alert: the toast says it, too. */
function Problem({ children }: { children: ReactNode }) {
  return (
    <p data-problem="" className="mt-6 border-2 border-l-[12px] border-candy-deep bg-sheet p-4 font-semibold">
      {children}
    </p>
  );
}

function StillProcessing() {
  return (
    <EmptyState
      title="Waiting for your bank"
      action={
        <Button asChild className="mt-2">
          <Link to="/dashboard">Go to Dashboard</Link>
        </Button>
      }
    >
      You don't need to wait here, and please don't pay again. As soon as the payment goes through, we'll
      email your tickets and add them to your account.
    </EmptyState>
  );
}

function BackButton({ onBack, disabled }: { onBack: () => void; disabled?: boolean }) {
  return (
    <Button variant="ghost" className="mt-5 -ml-3" disabled={disabled} onClick={onBack}>
      <ArrowLeft aria-hidden="true" className="size-5" strokeWidth={3} />
      Back to Details
    </Button>
  );
}
