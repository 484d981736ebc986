// Which step is shown before the order is finished. It only ever falls back on its own: the press of "Continue to Payment" alone
// leads from the details to the payment.
import { detailsComplete, isForCart, orderRequest, type CheckoutCart, type CheckoutStep } from "./model.ts";
import type { Attempt } from "./payment/attempt.ts";

interface Surroundings {
  /** The step in the history entry. Without one, an open payment continues. */
  asked: CheckoutStep | undefined;
  cart: Pick<CheckoutCart, "items" | "seats" | "buyerInfo" | "total" | "promoCode" | "ticketCount">;
  /** The user's remembered attempt to pay. */
  attempt: Pick<Attempt, "fingerprint" | "payment"> | undefined;
  /** Whether the cart's total is known: without it, an attempt cannot be compared with the cart. */
  isPriced: boolean;
}

/**
 * The step, and whether the history entry must say so from now on: otherwise a step that is not allowed yet would open as soon
 * as the last detail is typed.
 */
export function currentStep({ asked, cart, attempt, isPriced }: Surroundings): {
  step: "attendees" | "payment";
  isToBeKept: boolean;
} {
  const decided = (step: "attendees" | "payment") => ({ step, isToBeKept: step !== asked });
  if (asked === "attendees" || !detailsComplete(cart)) return decided("attendees");
  if (asked === "payment") return decided("payment");
  if (!attempt?.payment || !isForCart(attempt.fingerprint, cart)) return decided("attendees");
  // The payment step waits for the total as well, and nothing can be typed there meanwhile.
  if (!isPriced) return { step: "payment", isToBeKept: false };
  return decided(attempt.fingerprint === JSON.stringify(orderRequest(cart)) ? "payment" : "attendees");
}
