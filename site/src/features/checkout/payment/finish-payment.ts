// After the provider took the money: has the server issue the tickets, and notifies the buyer.
import { logError } from "#lib/browser/error-log.ts";
import { FunctionError } from "#lib/api/functions.ts";
import { toast } from "#ui/overlays/toast.ts";
import { processPayment } from "../queries.ts";

export type FinishedPayment = "confirmed" | "unconfirmed" | "refunded";

/** "signed-out": the money is there, and the order can be finished once the buyer has signed in again. */
export type PaymentEnd = FinishedPayment | "signed-out";

/** Never throws: the money is there, and the provider's webhook confirms the order when this call cannot. */
export async function finishPayment(paymentIntentId: string): Promise<PaymentEnd> {
  try {
    if ((await processPayment(paymentIntentId)) === "refund_queued") {
      toast.error("Payment Refunded", "These tickets had sold out. Your payment is being refunded in full.");
      return "refunded";
    }
    toast.success("Payment Successful!", "Your tickets are being generated and will be available shortly.");
    return "confirmed";
  } catch (error) {
    logError("process the order", error);
    if (error instanceof FunctionError && error.code === "unauthorized") {
      toast.success("Payment Successful", "Please sign in again to see your tickets.");
      return "signed-out";
    }
    toast.success(
      "Payment Successful",
      "Your payment was processed. If you don't receive your tickets within a few minutes, please contact support.",
    );
    return "unconfirmed";
  }
}
