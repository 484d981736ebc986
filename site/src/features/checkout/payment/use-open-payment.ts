import { useCallback, useEffect, useRef, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { toast } from "#ui/overlays/toast.ts";
import { stockShortages, type StockShortage } from "contract/errors";
import { readWaitingRoomAnswer, type WaitingRoomAnswer } from "contract/shop/waiting-room";
import { rememberedAttempt } from "./attempt.ts";
import { openingFailureWords } from "./failure-words.ts";
import { openPaymentInTurn, type OpenedPayment } from "./open-payment.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import type { OrderRequest } from "../queries.ts";
import { nothingUnderWay, underWay } from "./under-way.ts";

export type OpeningState =
  | { phase: "opening" }
  | { phase: "opened"; opened: OpenedPayment }
  | { phase: "waiting"; first: WaitingRoomAnswer }
  | { phase: "short"; message: string; shortages: readonly StockShortage[] }
  | { phase: "price-changed"; message: string }
  | { phase: "promo-refused"; message: string }
  | { phase: "closed"; message: string }
  | { phase: "failed"; message: string };

/** Opens the payment of a request once the provider is loaded. `again(orderId)` requests a new hold for a lost one. */
export function useOpenPayment(userId: string, request: OrderRequest, provider: PaymentProvider | undefined) {
  const fingerprint = JSON.stringify(request);
  const [round, setRound] = useState<{ number: number; lost?: string | undefined }>({ number: 0 });
  const [state, setState] = useState<OpeningState>({ phase: "opening" });

  // After a changed price or a refused promo code, the cart takes the new total while the buyer decides. Only `again` continues.
  const stopped = useRef<typeof round>(undefined);

  const isFirst = useRef(true);

  useEffect(() => {
    if (!provider || stopped.current === round) return;
    let current = true;
    function refuse(error: unknown) {
      const first = placeInLine(error);
      if (first) return setState({ phase: "waiting", first });
      logError("open the payment", error);
      const refused = refusal(error);
      if (refused.phase === "price-changed" || refused.phase === "promo-refused") stopped.current = round;
      // The page itself shows what is sold out or closed.
      else if (refused.phase === "failed") toast.error("Payment Setup Failed", refused.message);
      setState(refused);
    }
    function open(openWith: PaymentProvider) {
      if (!current) return;
      setState({ phase: "opening" });
      underWay(openPaymentInTurn(userId, JSON.parse(fingerprint), openWith, round.lost)).then(
        (opened) => current && setState({ phase: "opened", opened }),
        (error: unknown) => current && refuse(error),
      );
    }
    // What another tab changes in the cart must not replace an order that is just being placed or paid. Only the last change counts.
    if (isFirst.current) open(provider);
    else void nothingUnderWay().then(() => open(provider));
    isFirst.current = false;
    return () => {
      current = false;
    };
  }, [userId, fingerprint, provider, round]);

  const again = useCallback((lost?: string) => setRound(({ number }) => ({ number: number + 1, lost })), []);
  const openedOrder =
    state.phase === "opened" && state.opened.kind === "open" ? state.opened.payment.orderId : undefined;
  useEffect(() => {
    if (openedOrder === undefined) return;
    // A newer order of another tab for the same basket has replaced the one shown here.
    const hear = () => {
      const attempt = rememberedAttempt(userId);
      if (attempt?.fingerprint === fingerprint && attempt.payment?.orderId !== openedOrder) again();
    };
    addEventListener("storage", hear);
    return () => removeEventListener("storage", hear);
  }, [userId, fingerprint, openedOrder, again]);
  return { state, again };
}

/** A busy sale is not an error: its response contains a place in the waiting room. */
function placeInLine(error: unknown): WaitingRoomAnswer | undefined {
  return error instanceof FunctionError && error.code === "waiting_room"
    ? readWaitingRoomAnswer(error.refusal?.details)
    : undefined;
}

function refusal(error: unknown): Extract<OpeningState, { message: string }> {
  const message = openingFailureWords(error);
  if (error instanceof FunctionError && error.refusal) {
    const shortages = stockShortages(error.refusal);
    if (shortages.length > 0) return { phase: "short", message, shortages };
    if (error.code === "price_changed") return { phase: "price-changed", message };
    if (error.code === "promo_code_refused") return { phase: "promo-refused", message };
    if (error.code === "sales_closed") return { phase: "closed", message };
  }
  return { phase: "failed", message };
}
