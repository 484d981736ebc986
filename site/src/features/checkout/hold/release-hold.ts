// Releases the held tickets when the buyer leaves for another page of the site or empties the cart. Never with a payment
// in progress or made, and never while another tab is in checkout. A reload, a closed tab and a redirect to a bank
// release nothing: the buyer may come back, and otherwise the hold expires.
import { logError } from "#lib/browser/error-log.ts";
import { forgetAttempt, rememberedAttempt } from "../payment/attempt.ts";
import { releaseOrder } from "../queries.ts";
import { outsideCheckout } from "./presence.ts";
import { loadPaymentProvider } from "../payment/load-payment-provider.ts";
import { type PaymentProvider, stateOfPayment } from "../payment/payment-provider.ts";
import { nothingUnderWay } from "../payment/under-way.ts";

/** Resolves to whether stock went back on sale. Never throws: a hold that stays will expire. */
export async function releaseHold(
  userId: string,
  load: () => Promise<Pick<PaymentProvider, "retrieve">> = loadPaymentProvider,
): Promise<boolean> {
  try {
    await nothingUnderWay();
    const attempt = rememberedAttempt(userId);
    if (!attempt?.payment) return false;
    const { orderId } = attempt.payment;
    const { status } = await stateOfPayment(await load(), attempt.payment);
    if (status !== "open") return false;
    return await outsideCheckout(async () => {
      if (rememberedAttempt(userId)?.idempotencyKey !== attempt.idempotencyKey) return false;
      // Forget it first: a buyer who comes back from now on gets a new hold.
      forgetAttempt();
      return await releaseOrder(userId, orderId);
    });
  } catch (error) {
    logError("give the held tickets back", error);
    return false;
  }
}

/** For signing out: releases the hold even if tabs are in checkout. Leaves a payment in progress or made alone. */
export async function giveUpHold(
  userId: string,
  load: () => Promise<Pick<PaymentProvider, "retrieve">> = loadPaymentProvider,
): Promise<void> {
  const attempt = rememberedAttempt(userId);
  forgetAttempt();
  if (!attempt?.payment) return;
  try {
    const { orderId } = attempt.payment;
    const { status } = await stateOfPayment(await load(), attempt.payment);
    if (status === "open") await releaseOrder(userId, orderId);
  } catch (error) {
    logError("give the held tickets back", error);
  }
}
