// Opens the payment of a basket: places (or finds again) the order under the attempt's key. Before anything new is
// opened, the provider is asked what became of a payment that was open before, so that nobody pays twice.
import { callFunction, FunctionError } from "#lib/api/functions.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import type { CreatePaymentIntent } from "contract/schemas";
import { attemptFor, rememberAttempt, rememberedAttempt, type Attempt, type Payment } from "./attempt.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { forgetVisitorPlace, isLostPlace, visitorPlace } from "../waiting-room/waiting-line.ts";

export type OpenedPayment =
  | { kind: "open"; payment: Payment }
  /** An earlier payment went through, or is still under way: it comes first. */
  | { kind: "earlier"; status: "succeeded" | "processing"; attempt: Attempt & { payment: Payment } };

interface Answer {
  clientSecret: string;
  orderId: string;
  holdExpiresAt: string;
  orderStatus: string;
}

// The server keeps a finished order under its key; buying again needs a new one.
const spentKey: readonly FunctionError["code"][] = ["idempotency_conflict", "order_cancelled"];

/** @throws FunctionError with the server's reason, or Error with a message to show */
export async function openPayment(
  userId: string,
  request: Omit<CreatePaymentIntent, "idempotencyKey">,
  provider: Pick<PaymentProvider, "retrieve">,
  /** The hold is over: a new one is wanted, under a new key. */
  renew: boolean,
): Promise<OpenedPayment> {
  const fingerprint = JSON.stringify(request);
  let remembered = rememberedAttempt(userId);
  if (remembered?.payment) {
    const { status } = await provider.retrieve(remembered.payment.clientSecret);
    if (status === "succeeded" || status === "processing") {
      return { kind: "earlier", status, attempt: { ...remembered, payment: remembered.payment } };
    }
    if (status === "canceled") remembered = undefined;
  }
  if (renew) remembered = undefined;

  let attempt = attemptFor(userId, fingerprint, remembered);
  // The same key finds the same order again: going back and forth is no order more, and counts for nothing.
  if (attempt !== remembered) {
    const permission = rateLimiter.take("order_creation", userId);
    if (!permission.allowed) throw new Error(waitMessage(permission.retryAfterMs));
  }
  rememberAttempt(attempt);
  let answer: Partial<Answer>;
  try {
    answer = await place(request, attempt.idempotencyKey);
  } catch (error) {
    if (!(error instanceof FunctionError) || !spentKey.includes(error.code)) throw error;
    attempt = attemptFor(userId, fingerprint, undefined);
    rememberAttempt(attempt);
    answer = await place(request, attempt.idempotencyKey);
  }
  if (!answer.clientSecret) throw new Error("Unable to initialize payment");
  const payment: Payment = {
    clientSecret: answer.clientSecret,
    orderId: answer.orderId ?? "",
    holdExpiresAt: answer.holdExpiresAt ?? "",
  };
  const opened = { ...attempt, payment };
  rememberAttempt(opened);
  const paid = answer.orderStatus === "confirmed" || answer.orderStatus === "completed";
  return paid ? { kind: "earlier", status: "succeeded", attempt: opened } : { kind: "open", payment };
}

/** Shows the place of a visitor who waited before signing in, until it is the account's, spent, or of no use. */
async function place(request: Omit<CreatePaymentIntent, "idempotencyKey">, idempotencyKey: string) {
  const waited = visitorPlace();
  const headers = { "Idempotency-Key": idempotencyKey };
  const order = (shown: object) =>
    callFunction<Answer>("create-payment-intent", { ...request, ...shown }, headers);
  if (!waited.place) return order({});
  try {
    const answer = await order(waited);
    forgetVisitorPlace();
    return answer;
  } catch (error) {
    const lost = isLostPlace(error);
    if (lost || (error instanceof FunctionError && error.code === "waiting_room")) forgetVisitorPlace();
    if (lost) return order({});
    throw error;
  }
}
