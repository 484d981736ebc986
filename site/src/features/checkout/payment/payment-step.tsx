// The second step: holds the tickets, shows the provider's form, and follows the payment to its end.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Link } from "react-router";
import { FunctionError } from "#lib/api/functions.ts";
import { logError } from "#lib/browser/error-log.ts";
import { Button } from "#ui/basics/button.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { TermsNote } from "#ui/forms/terms-note.tsx";
import type { Attempt, Payment } from "./attempt.ts";
import { awaitPayment } from "./await-payment.ts";
import { Finishing } from "./finishing.tsx";
import { HoldCountdown, useHoldLeft } from "../hold/hold-countdown.tsx";
import { orderRequest, type CheckoutCart, type Pricing } from "../model.ts";
import {
  HoldEndedState,
  HoldReplacedState,
  OpeningSkeleton,
  PriceChangedState,
  PromoRefusedState,
  SalesClosedState,
  SetupFailedState,
  ShortageState,
} from "./opening-states.tsx";
import { loadPaymentProvider } from "./load-payment-provider.ts";
import { type PaymentFormProps, type PaymentProvider, stateOfPayment } from "./payment-provider.ts";
import { processPayment } from "../queries.ts";
import type { OpenedPayment } from "./open-payment.ts";
import { useAttemptInHistory } from "./use-details-at-payment.ts";
import { type OpeningState, useOpenPayment } from "./use-open-payment.ts";
import { usePaymentSubmission } from "./use-payment-submission.ts";
import { WaitingRoom } from "../waiting-room/waiting-room.tsx";

interface PaymentStepProps {
  userId: string;
  cart: CheckoutCart;
  pricing: Pricing;
  /** Updates the cart to today's prices; undefined while they are current. */
  takePrices: (() => void) | undefined;
  /** The known prices and stock are out of date. The function must be stable. */
  onStale: () => void;
  onBack: () => void;
  /** The money has arrived, for this basket or an earlier one. */
  onSucceeded: (payment: Payment) => void;
}

export function PaymentStep(step: PaymentStepProps) {
  const { userId, cart, pricing, onBack } = step;
  const { data: provider, isError, refetch } = usePaymentProvider();
  const isPriced = pricing.state === "known";
  const { state, again } = useOpenPayment(userId, orderRequest(cart), isPriced ? provider : undefined);
  useAttemptInHistory(userId, cart);

  if (!provider) {
    return <NoProvider failed={isError} onRetry={() => void refetch()} onBack={onBack} />;
  }
  if (pricing.state === "unknown") {
    return (
      <>
        <SetupFailedState message={pricing.message ?? ""} onRetry={pricing.retry} />
        <BackButton onBack={onBack} />
      </>
    );
  }
  return state.phase === "opened" ? (
    <Opened {...step} {...{ provider, again }} opened={state.opened} />
  ) : (
    <NotOpened {...step} {...{ state, again }} />
  );
}

/** Opens the payment again; `true` requests a new hold. */
type Again = ReturnType<typeof useOpenPayment>["again"];

interface OpenedProps extends PaymentStepProps {
  provider: PaymentProvider;
  opened: OpenedPayment;
  again: Again;
}

function Opened({ userId, cart, provider, opened, again, onBack, onSucceeded }: OpenedProps) {
  if (opened.kind === "earlier") {
    return (
      <EarlierPayment {...opened} provider={provider} onSucceeded={onSucceeded} onOpen={() => again()} />
    );
  }
  return (
    <OpenPayment
      key={opened.payment.clientSecret}
      {...{ userId, cart, provider, onBack, onSucceeded }}
      payment={opened.payment}
      onHoldAgain={() => again(opened.payment.orderId)}
    />
  );
}

interface NotOpenedProps extends PaymentStepProps {
  state: Exclude<OpeningState, { phase: "opened" }>;
  again: Again;
}

/** Still opening, or refused, with what the buyer can do about it. */
function NotOpened({ state, again, cart, takePrices, onStale, onBack }: NotOpenedProps) {
  switch (state.phase) {
    case "opening":
      return <OpeningSkeleton />;
    case "waiting":
      return (
        <>
          <WaitingRoom first={state.first} signedIn onAdmitted={again} />
          <BackButton onBack={onBack} />
        </>
      );
    case "short":
      return (
        <ShortageState
          message={state.message}
          shortages={state.shortages}
          items={cart.items}
          onUpdate={() => {
            for (const { id, available } of state.shortages) cart.setQuantity(id, available);
            // With fewer tickets, the buyer checks the remaining attendees.
            onBack();
          }}
        />
      );
    case "price-changed":
      return (
        <PriceChangedState
          message={state.message}
          {...{ cart, takePrices, onStale }}
          onContinue={() => again()}
        />
      );
    case "promo-refused":
      return (
        <PromoRefusedState
          message={state.message}
          {...{ onStale, onBack }}
          onContinue={() => {
            cart.setPromoCode(undefined);
            again();
          }}
        />
      );
    case "closed":
      return <SalesClosedState message={state.message} />;
    case "failed":
      return (
        <>
          <SetupFailedState message={state.message} onRetry={() => again()} />
          <BackButton onBack={onBack} />
        </>
      );
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

function usePaymentProvider() {
  return useQuery({
    queryKey: ["payment_provider"],
    queryFn: () =>
      loadPaymentProvider().catch((error: unknown) => {
        logError("load the payment configuration", error);
        throw error;
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // Loading the provider again would replace the form and lose what was typed.
    refetchOnReconnect: ({ state }) => (state.data ? false : "always"),
  });
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

interface OpenPaymentProps extends Omit<PaymentStepProps, "pricing" | "takePrices" | "onStale"> {
  provider: PaymentProvider;
  payment: Payment;
  onHoldAgain: () => void;
}

function OpenPayment({
  userId,
  cart,
  provider,
  payment,
  onBack,
  onSucceeded,
  onHoldAgain,
}: OpenPaymentProps) {
  const submission = usePaymentSubmission({
    userId,
    clientSecret: payment.clientSecret,
    retrieve: () => stateOfPayment(provider, payment),
    onSucceeded: () => onSucceeded(payment),
  });
  const left = useHoldLeft(payment.holdExpiresAt);
  const isFree = payment.clientSecret === "";
  const underWay = submission.phase === "processing" || submission.phase === "succeeded";
  const form = {
    phase: submission.phase,
    problem: submission.phase === "failed" && <Problem>{submission.message}</Problem>,
    closed: left === 0,
    onPay: submission.pay,
  };
  if (submission.late) return <StillProcessing />;
  if (left === 0 && (submission.isGone || !underWay)) return <HoldEndedState onHoldAgain={onHoldAgain} />;
  if (submission.isGone) return <HoldReplacedState onHoldAgain={onHoldAgain} />;
  return (
    <>
      {left !== undefined && <HoldCountdown left={left} isFree={isFree} />}
      <div className="mt-6">
        {isFree ? (
          <NothingToPay orderId={payment.orderId} {...form} />
        ) : (
          <provider.Form
            clientSecret={payment.clientSecret}
            amount={cart.total}
            buyer={cart.buyerInfo}
            {...form}
          />
        )}
      </div>
      {submission.phase === "succeeded" && (
        <Finishing className="mt-4">Payment approved. Finishing your order...</Finishing>
      )}
      <TermsNote doing={isFree ? "confirming" : "paying"} className="mt-4 text-sm" />
      <BackButton onBack={onBack} disabled={underWay} />
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

interface EarlierPaymentProps {
  status: "succeeded" | "processing";
  attempt: Attempt & { payment: Payment };
  provider: PaymentProvider;
  onSucceeded: (payment: Payment) => void;
  /** The earlier payment failed after all, so this basket may be paid for. */
  onOpen: () => void;
}

/** Follows a payment that was in progress when the page was left, before anything else is paid. */
function EarlierPayment({ status, attempt, provider, onSucceeded, onOpen }: EarlierPaymentProps) {
  const followed = useRef(false);
  useEffect(() => {
    if (followed.current) return;
    followed.current = true;
    const { payment } = attempt;
    if (status === "succeeded") return onSucceeded(payment);
    void awaitPayment(provider.retrieve, payment.clientSecret).then((state) => {
      if (state.status === "succeeded") onSucceeded(payment);
      else onOpen();
    });
  }, [status, attempt, provider, onSucceeded, onOpen]);
  return (
    <Finishing className="border-2 border-ink bg-sheet p-6">
      Your payment is already under way. Please wait while we finish it...
    </Finishing>
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
