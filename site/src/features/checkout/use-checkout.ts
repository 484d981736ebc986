// Checkout at work: keeps the state of this tab, and does what each state asks for.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useReducer, useRef, useState, type Dispatch } from "react";
import { useLocation } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { toast } from "#ui/overlays/toast.ts";
import { useCart, type CartAccess } from "./cart/cart-provider.tsx";
import { seatsOf } from "./cart/seats.ts";
import { awaitDecision, decidePayment, type Decision } from "./decide-payment.ts";
import { finishPayment, hasLeft } from "./finish-payment.ts";
import { orderRequest, type CheckoutCart, type Pricing } from "./model.ts";
import { eventOfFailure, openPayment } from "./open-payment.ts";
import { loadPaymentProvider } from "./payment/load-payment-provider.ts";
import { stateOfPayment, type PaymentOutcome, type PaymentProvider } from "./payment/payment-provider.ts";
import { enterCheckout, releaseHold } from "./release-hold.ts";
import {
  firstState,
  historyEntry,
  transition,
  type CheckoutEvent,
  type CheckoutState,
  type OpenOrder,
} from "./state.ts";

/**
 * The state of this tab, and the cart as it shows it: at the payment with the details that were agreed, before it with those that are
 * being typed.
 */
export function useCheckoutState(userId: string): {
  state: CheckoutState;
  dispatch: Dispatch<CheckoutEvent>;
  cart: CartAccess;
} {
  const saved = useCart(userId);
  const entry = historyEntry(useLocation().state);
  const [state, dispatch] = useReducer(transition, undefined, () => firstState(entry, saved.paid));
  const { paid, agreed, items } = saved;

  // An order was paid here or in another tab. Told while rendering, because an emptied cart leaves checkout.
  const [paidBefore] = useState(paid?.orderId);
  const isOwn = "order" in state && state.order.orderId === paid?.orderId;
  if (paid && paid.orderId !== paidBefore && state.name !== "paid" && (isOwn || items.length === 0))
    dispatch({ type: "paid", paid });

  const isAtPayment = state.name !== "attendees" && state.name !== "paid";
  const cart =
    isAtPayment && agreed ? { ...saved, ...agreed, seats: seatsOf(items, agreed.attendees) } : saved;
  return { state, dispatch, cart };
}

interface Checkout {
  userId: string;
  state: CheckoutState;
  dispatch: Dispatch<CheckoutEvent>;
  cart: CheckoutCart;
  pricing: Pricing;
  isAtPayment: boolean;
  /** Orders, tickets or stock have changed. The function must be stable. */
  onChange: () => void;
  /** The order is paid, although its buyer has left this page. */
  onPaidLater: (orderId: string) => void;
}

export function useCheckout(checkout: Checkout) {
  const { userId, cart, dispatch, isAtPayment } = checkout;
  const provider = usePaymentProvider(isAtPayment);
  const hold = useHold(userId, cart, checkout.onChange);
  const failing = useFailing(dispatch);
  // Going from the details to the payment, by the button or by Forward, orders for the people whose names are typed now.
  const isFirst = useRef(true);
  const showStep = useEffectEvent((isPayment: boolean) => {
    if (isPayment && (!isFirst.current || !cart.agreed)) cart.change({ type: "agree" });
    isFirst.current = false;
    dispatch({ type: isPayment ? "show-payment" : "show-attendees" });
  });
  useEffect(() => showStep(isAtPayment), [isAtPayment]);
  return {
    provider,
    again: useOpening(checkout, provider.data, hold, failing),
    pay: usePaying(checkout, provider.data, hold, failing),
  };
}

type Failing = ReturnType<typeof useFailing>;

/** Tells why a payment failed: at the form until the next attempt, and in a message. */
function useFailing(dispatch: Dispatch<CheckoutEvent>) {
  const takeBack = useRef<() => void>(undefined);
  return {
    fail(reason: string | undefined): void {
      // A provider may refuse without a message.
      dispatch({ type: "decline", problem: reason || "Payment failed" });
      const words = reason || "Please check your payment details and try again.";
      takeBack.current = toast.error("Payment Failed", words);
    },
    hasTold: () => takeBack.current !== undefined,
    takeBack(): void {
      takeBack.current?.();
      takeBack.current = undefined;
    },
  };
}

/** Opens the payment whenever the state asks for it. Returns a function that opens it again. */
function useOpening(
  checkout: Checkout,
  provider: PaymentProvider | undefined,
  { underWay }: Hold,
  { fail, hasTold }: Failing,
) {
  const { userId, state, dispatch, cart, pricing, isAtPayment } = checkout;
  const isReady = isAtPayment && pricing.state === "known" && cart.key !== undefined;
  const openedKey = useRef<string>(undefined);
  const open = useEffectEvent((openWith: PaymentProvider) => {
    const key = cart.key!;
    openedKey.current = key;
    return underWay(openPayment(userId, cart, { key, request: orderRequest(cart) }, openWith));
  });
  const opened = useEffectEvent((event: CheckoutEvent) => {
    dispatch(event);
    // Back and forth between the steps does not tell it again.
    if (event.type === "placed" && event.failure !== undefined && !hasTold()) fail(event.failure);
  });
  useEffect(() => {
    if (state.name !== "opening" || !isReady || !provider) return;
    let isCurrent = true;
    open(provider).then(
      (event) => isCurrent && opened(event),
      (error: unknown) => isCurrent && dispatch(eventOfFailure(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [state, isReady, provider, dispatch]);

  const follow = useEffectEvent(({ name }: CheckoutState, key: string | undefined) => {
    const isOther = name !== "attendees" && openedKey.current !== undefined && key !== openedKey.current;
    if (isOther) dispatch({ type: "cart-changed" });
  });
  useEffect(() => follow(state, cart.key), [state, cart.key]);

  /** `anew`: the order holds nothing anymore. */
  return (anew?: "anew") => {
    if (anew) cart.change({ type: "renew-key", key: openedKey.current });
    dispatch({ type: "retry" });
  };
}

/** Returns a function that pays an order with the provider's form. Also follows a payment that was already under way. */
function usePaying(
  checkout: Checkout,
  provider: PaymentProvider | undefined,
  { underWay, isShown }: Hold,
  { fail, takeBack }: Failing,
) {
  const { userId, state, dispatch, cart, onPaidLater } = checkout;
  const isUncertain = useRef(false);
  const isPaying = useRef(false);

  async function finish(order: OpenOrder): Promise<void> {
    dispatch({ type: "approve", order });
    const end = await finishPayment(userId, cart, order);
    // After signing in again, the order leads back to the payment.
    if (typeof end !== "string" && !isShown.current) onPaidLater(order.orderId);
  }

  async function act(
    order: OpenOrder,
    decision: Decision,
    onFailed: (reason?: string) => void,
  ): Promise<void> {
    if (await hasLeft(userId, cart)) return;
    if (decision.kind === "approved") return finish(order);
    if (decision.kind === "undecided") return dispatch({ type: "give-up-waiting" });
    if (decision.kind === "failed") return onFailed(decision.reason);
    dispatch({ type: "replace" });
    if (Date.parse(order.heldUntil) <= serverNow()) dispatch({ type: "end-hold" });
  }

  async function pay(order: OpenOrder, confirm: () => Promise<PaymentOutcome>): Promise<void> {
    if (isPaying.current || !provider) return;
    const permission = rateLimiter.take("payment", userId);
    if (!permission.allowed) return fail(waitMessage(permission.retryAfterMs));
    isPaying.current = true;
    // The old message would cover the bank's dialog of this attempt.
    takeBack();
    dispatch({ type: "pay" });
    const decision = await decidePayment(() => stateOfPayment(provider, order), confirm, isUncertain.current);
    isUncertain.current = decision.kind === "failed" && decision.isUncertain === true;
    isPaying.current = false;
    await act(order, decision, fail);
  }

  async function follow(order: OpenOrder, isApproved: boolean): Promise<void> {
    if (isApproved || !provider) return finish(order);
    const decision = await awaitDecision(() => stateOfPayment(provider, order));
    // It may be paid after all. Opening it again tells why it failed.
    await act(order, decision, () => dispatch({ type: "retry" }));
  }
  const startFollowing = useEffectEvent((...payment: Parameters<typeof follow>) =>
    underWay(follow(...payment)),
  );
  const earlier = state.name === "deciding" && state.isEarlier ? state.order : undefined;
  const isApproved = state.name === "deciding" && state.isApproved;
  const followed = useRef<OpenOrder>(undefined);
  useEffect(() => {
    if (earlier && followed.current !== earlier) void startFollowing(earlier, isApproved);
    followed.current = earlier;
  }, [earlier, isApproved]);

  return (order: OpenOrder, confirm: () => Promise<PaymentOutcome>) => void underWay(pay(order, confirm));
}

type Hold = ReturnType<typeof useHold>;

/** While mounted, this tab is at checkout; leaving it for another page of the site releases the hold. */
function useHold(userId: string, cart: CheckoutCart, onReleased: () => void) {
  /** The order being placed, the card being confirmed: anything that would undo it waits until it has settled. */
  const work = useRef<Promise<unknown>>(Promise.resolve());
  const isShown = useRef(true);
  const release = useEffectEvent(() => releaseHold(userId, cart));
  useEffect(() => {
    const leave = enterCheckout();
    isShown.current = true;
    return () => {
      isShown.current = false;
      void work.current
        .then(leave)
        .then(release)
        .then((isReleased) => isReleased && onReleased());
    };
  }, [onReleased]);
  const underWay = <Result>(one: Promise<Result>): Promise<Result> => {
    work.current = Promise.allSettled([work.current, one]);
    return one;
  };
  return { underWay, isShown };
}

function usePaymentProvider(isNeeded: boolean) {
  return useQuery({
    queryKey: ["payment_provider"],
    queryFn: () =>
      loadPaymentProvider().catch((error: unknown) => {
        logError("load the payment configuration", error);
        throw error;
      }),
    enabled: isNeeded,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // Loading the provider again would replace the form and lose what was typed.
    refetchOnReconnect: ({ state }) => (state.data ? false : "always"),
  });
}
