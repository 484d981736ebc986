// After the provider took the money: has the server issue the tickets, and notifies the buyer.
import { logError } from "#lib/browser/error-log.ts";
import { unlessLeft } from "#lib/browser/leaving.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { toast } from "#ui/overlays/toast.ts";
import { refundedPayments } from "contract/shop/refunded-payments";
import { requestedItems, type CheckoutCart, type Finished } from "../model.ts";
import { processPayment } from "../queries.ts";
import { attemptOf, forgetAttempt, orderOf, type Proof } from "./attempt.ts";
import { hasLeft } from "./has-left.ts";
import { announcePaid } from "./paid-elsewhere.ts";

/**
 * "signed-out": the money has arrived, and the order can be finished once the buyer has signed in again. "not-theirs": the buyer
 * has logged out or another user has signed in since, and is told nothing; the provider's webhook confirms the order.
 */
type PaymentEnd = Finished | "signed-out" | "not-theirs";

/**
 * Has the order confirmed, then forgets its attempt and takes what it bought out of the cart. What the buyer began or added meanwhile,
 * also in another tab, stays. Never throws.
 */
export async function finishPayment(
  userId: string,
  paid: Proof,
  cart: Pick<CheckoutCart, "current" | "takeBought" | "clear">,
  /** Called before the cart is emptied, because an empty cart leaves checkout. */
  onEnd?: (end: Finished) => void,
): Promise<PaymentEnd> {
  const attempt = attemptOf(userId, paid);
  const result = await confirmOrder(userId, paid, attempt !== undefined);
  if (typeof result === "string") return result;
  const remembered = attemptOf(userId, paid);
  const isBought = remembered !== undefined && result.result !== "refunded";
  const bought = isBought ? requestedItems(remembered.fingerprint) : [];
  const unitsBought = (id: string) => bought.find((item) => item.id === id)?.quantity ?? 0;
  const isCartLeft = cart.current().items.some(({ id, quantity }) => quantity > unitsBought(id));
  const end = { ...result, ...(attempt && orderOf(attempt)), ...(isCartLeft && { isCartLeft }) };
  if (isBought && !isCartLeft) announcePaid(userId, end);
  if (remembered) forgetAttempt();
  onEnd?.(end);
  if (isBought && !isCartLeft) cart.clear();
  else if (isBought) cart.takeBought(bought);
  return end;
}

/** Never throws: the money has arrived, and the provider's webhook confirms the order when this call cannot. */
async function confirmOrder(userId: string, paid: Proof, isRemembered: boolean): Promise<PaymentEnd> {
  if (await hasLeft(userId)) return "not-theirs";
  try {
    const processed = await processPayment(paid);
    await pageStays();
    if (await hasLeft(userId)) return "not-theirs";
    if (processed.status === "refund_queued") {
      const { reason } = processed;
      toast.error("Payment Refunded", refundWords(reason));
      return { result: "refunded", ...(reason !== undefined && { reason }) };
    }
    toast.success(
      "orderId" in paid ? "Order Confirmed!" : "Payment Successful!",
      "Your tickets are being generated and will be available shortly.",
    );
    return { result: "confirmed" };
  } catch (error) {
    await pageStays();
    const isOthers = error instanceof FunctionError && error.code === "order_not_found" && !isRemembered;
    if (isOthers || (await hasLeft(userId))) return "not-theirs";
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

/** The text in the toast and on the page about a payment that bought nothing. */
export function refundWords(reason: string | undefined): string {
  const why =
    reason === "paid_twice"
      ? "This order was already paid."
      : (refundedPayments[reason ?? ""] ?? "This order could not be fulfilled.");
  return `${why} Your payment is being refunded in full.`;
}
