// Opens the payment of a basket: places (or finds again) the order under the attempt's key. First checks with the provider
// what happened to an earlier payment, so that no one pays twice.
import { FunctionError } from "#lib/api/functions.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import { attemptFor, rememberAttempt, rememberedAttempt, type Attempt, type Payment } from "./attempt.ts";
import { type PaymentProvider, stateOfPayment } from "./payment-provider.ts";
import { placeOrder, type OrderRequest, type PlacedOrder } from "../queries.ts";
import { forgetVisitorPlace, isLostPlace, visitorPlace } from "../waiting-room/waiting-line.ts";

export type OpenedPayment =
  | { kind: "open"; payment: Payment }
  /** An earlier payment went through or is still in progress, and comes first. */
  | { kind: "earlier"; status: "succeeded" | "processing"; attempt: Attempt & { payment: Payment } };

const OPENING = "houston-culture-festival:opening-payment";

/**
 * One tab at a time: the next one with the same basket finds the order that the first has placed, and both share its hold. Plain http
 * has no locks except on localhost.
 */
export function openPaymentInTurn(...wish: Parameters<typeof openPayment>): Promise<OpenedPayment> {
  const open = () => openPayment(...wish);
  return navigator.locks ? navigator.locks.request(OPENING, open) : open();
}

// The server keeps a finished order under its key, so buying again needs a new one.
const spentKey: readonly FunctionError["code"][] = ["idempotency_conflict", "order_cancelled"];

/** @throws FunctionError with the server's reason, or Error with a message to show */
export async function openPayment(
  userId: string,
  request: OrderRequest,
  provider: Pick<PaymentProvider, "retrieve">,
  /** The order whose hold has ended: request a new one, under a new key, unless another tab has. */
  lost: string | undefined,
): Promise<OpenedPayment> {
  const fingerprint = JSON.stringify(request);
  let remembered = rememberedAttempt(userId);
  if (remembered?.payment) {
    const { status } = await stateOfPayment(provider, remembered.payment);
    if (status === "succeeded" || status === "processing") {
      return { kind: "earlier", status, attempt: { ...remembered, payment: remembered.payment } };
    }
    if (status === "canceled") remembered = undefined;
  }
  if (lost !== undefined && remembered?.payment?.orderId === lost) remembered = undefined;

  let attempt = attemptFor(userId, fingerprint, remembered);
  // The same key finds the same order again, so going back and forth does not count towards the limit.
  if (attempt !== remembered) {
    const permission = rateLimiter.take("order_creation", userId);
    if (!permission.allowed) throw new Error(waitMessage(permission.retryAfterMs));
  }
  rememberAttempt(attempt);
  let placed: PlacedOrder;
  try {
    placed = await place(request, attempt.idempotencyKey);
  } catch (error) {
    if (!(error instanceof FunctionError) || !spentKey.includes(error.code)) throw error;
    attempt = attemptFor(userId, fingerprint, undefined);
    rememberAttempt(attempt);
    placed = await place(request, attempt.idempotencyKey);
  }
  const { orderStatus, ...payment } = placed;
  const opened = { ...attempt, payment };
  rememberAttempt(opened);
  return orderStatus === "pending"
    ? { kind: "open", payment }
    : { kind: "earlier", status: "succeeded", attempt: opened };
}

/** Sends the place of a visitor who waited before signing in, until it belongs to the account, is spent, or is lost. */
async function place(request: OrderRequest, idempotencyKey: string): Promise<PlacedOrder> {
  const waited = visitorPlace();
  if (!waited.place) return placeOrder(request, {}, idempotencyKey);
  try {
    const placed = await placeOrder(request, waited, idempotencyKey);
    forgetVisitorPlace();
    return placed;
  } catch (error) {
    const lost = isLostPlace(error);
    if (lost || (error instanceof FunctionError && error.code === "waiting_room")) forgetVisitorPlace();
    if (lost) return placeOrder(request, {}, idempotencyKey);
    throw error;
  }
}
