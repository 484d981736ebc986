// The end of a redirect to a bank: the return address contains the payment, which is looked up and finished
// once.
import { useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { toast } from "#ui/overlays/toast.ts";
import type { CartAccess } from "../cart/cart-provider.tsx";
import { awaitDecision } from "../decide-payment.ts";
import { finishPayment, hasLeft, orderOfIntent } from "../finish-payment.ts";
import { Finishing } from "./finishing.tsx";
import { loadPaymentProvider } from "./load-payment-provider.ts";

interface PaymentReturnProps {
  userId: string;
  cart: Pick<CartAccess, "current" | "change">;
  /** Orders and tickets have changed. */
  onPaid: () => void;
}

/** Renders nothing on an ordinary visit. */
export function PaymentReturn({ userId, cart, onPaid }: PaymentReturnProps) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const intent = search.get("payment_intent");
  const clientSecret = search.get("payment_intent_client_secret");
  const followed = useRef<string>(undefined);

  async function follow(intentId: string, secret: string) {
    try {
      const { retrieve } = await loadPaymentProvider();
      const decision = await awaitDecision(() => retrieve(secret));
      if (await hasLeft(userId, cart)) return;
      if (decision.kind === "approved") {
        const end = await finishPayment(userId, cart, { intentId });
        // RequireUser redirects through sign-in and back to this address.
        if (end === "signed-out" || (await hasLeft(userId, cart))) return;
        if (end !== "not-theirs") onPaid();
      } else if (!orderOfIntent(cart.current().order, intentId)) {
        // Started in another browser, or by this browser's former user: the order itself shows the outcome.
      } else if (decision.kind === "undecided") {
        toast.show(
          "Payment Pending",
          "Your bank is still processing it. We will send your tickets once the payment goes through.",
        );
      } else {
        // Opening the payment again tells the provider's reason.
        if (decision.kind !== "failed" || decision.reason === undefined)
          toast.error("Payment Failed", "Please check your payment details and try again.");
        return await navigate("/checkout", { replace: true });
      }
    } catch (error) {
      logError("follow a redirected payment", error);
      toast.error("Payment Failed", "An unexpected error occurred. Please try again.");
    }
    // A reload must not repeat the message.
    await navigate("/dashboard", { replace: true });
  }

  useEffect(() => {
    if (!intent || !clientSecret || followed.current === intent) return;
    followed.current = intent;
    void follow(intent, clientSecret);
  });

  if (!intent || !clientSecret) return null;
  return <Finishing className="mb-8 bg-brisket p-5">Finishing your payment...</Finishing>;
}
