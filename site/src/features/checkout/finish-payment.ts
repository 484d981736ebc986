// After the provider took the money: has the server issue the tickets, and notifies the buyer.
import { logError } from "#lib/browser/error-log.ts";
import { unlessLeft } from "#lib/browser/leaving.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { toast } from "#ui/overlays/toast.ts";
import { refundedPayments } from "contract/shop/refunded-payments";
import type { CartAccess } from "./cart/cart-provider.tsx";
import type { Order, Paid } from "./cart/record.ts";
import { intentId } from "./payment/payment-provider.ts";
import { processPayment, signedInUser } from "./queries.ts";

type Confirmed = Pick<Paid, "result" | "reason">;

/**
 * "signed-out": the money has arrived, and the order can be finished once the buyer has signed in again. "not-theirs": the buyer
 * has logged out or another user has signed in since, and is shown nothing; the provider's webhook confirms the order.
 */
type PaymentEnd = Confirmed | "signed-out" | "not-theirs";

type CartRecord = Pick<CartAccess, "current" | "change">;

/** Has the order confirmed, and takes what it bought out of the cart, in all tabs. Never throws. */
export async function finishPayment(
  userId: string,
  cart: CartRecord,
  order: Order | { intentId: string },
): Promise<PaymentEnd> {
  const known = "orderId" in order ? order : orderOfIntent(cart.current().order, order.intentId);
  const proof =
    "intentId" in order
      ? { paymentIntentId: order.intentId }
      : order.clientSecret
        ? { paymentIntentId: intentId(order.clientSecret) }
        : { orderId: order.orderId };
  const end = await confirmOrder(userId, cart, proof, known !== undefined);
  if (typeof end !== "string" && known)
    cart.change({ type: "paid", paid: { orderId: known.orderId, email: known.email, ...end } });
  return end;
}

/** The order, if this payment is its own. Another tab may have begun a new one since. */
export const orderOfIntent = (order: Order | undefined, id: string): Order | undefined =>
  order?.clientSecret && intentId(order.clientSecret) === id ? order : undefined;

/** Never throws: the money has arrived, and the provider's webhook confirms the order when this call cannot. */
async function confirmOrder(
  userId: string,
  cart: CartRecord,
  proof: Parameters<typeof processPayment>[0],
  isKnown: boolean,
): Promise<PaymentEnd> {
  if (await hasLeft(userId, cart)) return "not-theirs";
  try {
    const processed = await processPayment(proof);
    await pageStays();
    if (await hasLeft(userId, cart)) return "not-theirs";
    if (processed.status === "refund_queued") {
      const { reason } = processed;
      toast.error("Payment Refunded", refundWords(reason));
      return { result: "refunded", ...(reason !== undefined && { reason }) };
    }
    toast.success(
      "orderId" in proof ? "Order Confirmed!" : "Payment Successful!",
      "Your tickets are being generated and will be available shortly.",
    );
    return { result: "confirmed" };
  } catch (error) {
    await pageStays();
    const isOthers = error instanceof FunctionError && error.code === "order_not_found" && !isKnown;
    if (isOthers || (await hasLeft(userId, cart))) return "not-theirs";
    logError("process the order", error);
    if (error instanceof FunctionError && error.code === "unauthorized") {
      toast.success("Payment Successful", "Please sign in again to see your tickets.");
      return "signed-out";
    }
    toast.success(
      "Payment Successful",
      "Your payment was processed. If you don't receive your tickets within a few minutes, please contact support.",
    );
    return { result: "unconfirmed" };
  }
}

/** Never resolves on a page that is being left or reloaded: the next page finishes the order. */
const pageStays = () => new Promise<void>(unlessLeft);

/**
 * Whether a payment's end no longer concerns who uses this page: another user has signed in, or its buyer has logged out, which
 * forgets the owner. A session that lapsed keeps it, and the server's refusal explains that. Never throws.
 */
export async function hasLeft(userId: string, cart: Pick<CartAccess, "current">): Promise<boolean> {
  const current = await signedInUser().catch(() => userId);
  return current === undefined ? cart.current().owner !== userId : current !== userId;
}

/** The text in the toast and on the page about a payment that bought nothing. */
export function refundWords(reason: string | undefined): string {
  const why =
    reason === "paid_twice"
      ? "This order was already paid."
      : (refundedPayments[reason ?? ""] ?? "This order could not be fulfilled.");
  return `${why} Your payment is being refunded in full.`;
}
