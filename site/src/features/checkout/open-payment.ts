// Opens the payment of a cart: places (or finds again) the order of its key. First checks with the provider what happened to an
// earlier payment, so that no one pays twice.
import { FunctionError } from "#lib/api/functions.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import { logError } from "#lib/browser/error-log.ts";
import { toast } from "#ui/overlays/toast.ts";
import { stockShortages } from "contract/errors";
import { toCents } from "contract/shop/money";
import { readWaitingRoomAnswer } from "contract/shop/waiting-room";
import type { CartAccess } from "./cart/cart-provider.tsx";
import { openingFailureWords } from "./payment/failure-words.ts";
import { type PaymentProvider, stateOfPayment } from "./payment/payment-provider.ts";
import { placeOrder, type OrderRequest, type PlacedOrder } from "./queries.ts";
import type { CheckoutEvent, OpenOrder, Refusal } from "./state.ts";
import { forgetVisitorPlace, isLostPlace, visitorPlace } from "./waiting-room/waiting-line.ts";

/** The key of the last order that this page asked for. Asking again finds it, so it does not count toward the limit. */
let lastKey: string | undefined;

/**
 * Resolves to what comes of it. `key` is the cart's, from when the request was made.
 * @throws FunctionError with the server's reason, or Error with a message to show
 */
export async function openPayment(
  userId: string,
  cart: Pick<CartAccess, "current" | "change">,
  { key, request }: { key: string; request: OrderRequest },
  provider: Pick<PaymentProvider, "retrieve">,
): Promise<CheckoutEvent> {
  const earlier = cart.current().order;
  let failure: string | undefined;
  if (isOpenOrder(earlier)) {
    const found = await stateOfPayment(provider, earlier);
    if (found.status === "succeeded" || found.status === "processing")
      return { type: "found-under-way", order: earlier, isApproved: found.status === "succeeded" };
    if (found.status === "canceled" && earlier.key === key) return renew(cart, key);
    if (found.status === "open") failure = found.failure;
  }
  if (lastKey !== key && earlier?.key !== key) {
    const permission = rateLimiter.take("order_creation", userId);
    if (!permission.allowed) throw new Error(waitMessage(permission.retryAfterMs));
  }
  lastKey = key;
  // The new order takes the place of the one before, which no longer decides about prices.
  if (earlier && earlier.key !== key) cart.change({ type: "set-order", order: undefined });
  let placed: PlacedOrder;
  try {
    placed = await place(request, key);
  } catch (error) {
    if (error instanceof FunctionError && endedKey.includes(error.code)) return renew(cart, key);
    throw error;
  }
  const { orderStatus, orderId, clientSecret, holdExpiresAt: heldUntil } = placed;
  const order = {
    ...{ orderId, key, heldUntil, clientSecret },
    total: toCents(request.totalAmount),
    items: request.items.map(({ id, quantity }) => ({ id, quantity })),
    email: request.buyerInfo.email,
  };
  // Whoever has logged out meanwhile leaves nothing here.
  if (cart.current().owner === userId) cart.change({ type: "set-order", order });
  if (orderStatus !== "pending") return { type: "found-under-way", order, isApproved: true };
  const hasFailed = failure !== undefined && clientSecret === earlier?.clientSecret;
  return { type: "placed", order, ...(hasFailed && { failure }) };
}

// The server keeps a finished order under its key, so buying again needs a new one.
const endedKey: readonly FunctionError["code"][] = ["idempotency_conflict", "order_cancelled"];

function renew(cart: Pick<CartAccess, "change">, key: string): CheckoutEvent {
  cart.change({ type: "renew-key", key });
  return { type: "renew" };
}

export const isOpenOrder = (order: { clientSecret?: string } | undefined): order is OpenOrder =>
  order?.clientSecret !== undefined;

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

/**
 * What an error means for checkout; the buyer sees it instead of the form. A busy sale is not an error: its response contains a place
 * in the waiting room.
 */
export function eventOfFailure(error: unknown): CheckoutEvent {
  const line =
    error instanceof FunctionError && error.code === "waiting_room"
      ? readWaitingRoomAnswer(error.refusal?.details)
      : undefined;
  if (line) return { type: "wait", line };
  logError("open the payment", error);
  const refusal = refusalOf(error);
  // The page itself shows what is sold out or closed.
  if (refusal.name === "failed") toast.error("Payment Setup Failed", refusal.message);
  return { type: "refuse", refusal };
}

function refusalOf(error: unknown): Refusal {
  const message = openingFailureWords(error);
  if (error instanceof FunctionError && error.refusal) {
    const shortages = stockShortages(error.refusal);
    if (shortages.length > 0) return { name: "short", message, shortages };
    if (error.code === "price_changed") return { name: "price-changed", message };
    if (error.code === "promo_code_refused") return { name: "promo-refused", message };
    if (error.code === "sales_closed") return { name: "closed", message };
  }
  return { name: "failed", message };
}
