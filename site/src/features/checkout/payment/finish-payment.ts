// After the provider took the money: has the server issue the tickets, and notifies the buyer.
import { logError } from "#lib/browser/error-log.ts";
import { isLeaving } from "#lib/browser/leaving.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { toast } from "#ui/overlays/toast.ts";
import { refundedPayments } from "contract/shop/refunded-payments";
import { processPayment } from "../queries.ts";

export type FinishedPayment = "confirmed" | "unconfirmed" | "refunded";

/** How a payment ended, and the details the confirmation shows. */
export interface Finished {
  result: FinishedPayment;
  orderId?: string;
  /** Where the tickets are sent. */
  email?: string;
  /** Why the payment is refunded: confirm_order's reason. */
  reason?: string;
}

/**
 * "signed-out": the money has arrived, and the order can be finished once the buyer has signed in again. "left": the page was
 * left or reloaded before the response came, and the next page finishes the order.
 */
export type PaymentEnd = Pick<Finished, "result" | "reason"> | "signed-out" | "left";

/** Never throws: the money has arrived, and the provider's webhook confirms the order when this call cannot. */
export async function finishPayment(paid: Parameters<typeof processPayment>[0]): Promise<PaymentEnd> {
  try {
    const processed = await processPayment(paid);
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
    if (isLeaving()) return "left";
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

/** The text in the toast and on the page about a payment that bought nothing. */
export function refundWords(reason: string | undefined): string {
  const why =
    reason === "paid_twice"
      ? "This order was already paid."
      : (refundedPayments[reason ?? ""] ?? "This order could not be fulfilled.");
  return `${why} Your payment is being refunded in full.`;
}
