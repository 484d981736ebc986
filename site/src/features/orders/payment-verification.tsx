// /order-confirmation?session_id=…: verifies the payment, then replaces the URL with the order's.
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { count } from "#lib/format.ts";
import { toast } from "#ui/overlays/toast.ts";
import { OrderConfirmationSkeleton } from "./order-confirmation.tsx";
import { verifyPayment, type VerifiedPayment } from "./queries.ts";

// One verification per session, however often the screen mounts: its toast must not appear twice.
const underWay = new Map<string, Promise<VerifiedPayment>>();

function verifyOnce(sessionId: string): Promise<VerifiedPayment> {
  const verification =
    underWay.get(sessionId) ?? verifyPayment(sessionId).finally(() => underWay.delete(sessionId));
  underWay.set(sessionId, verification);
  return verification;
}

export function PaymentVerification({
  sessionId,
  onVerified,
}: {
  sessionId: string;
  onVerified: () => void;
}) {
  const navigate = useNavigate();
  useEffect(() => {
    let current = true;
    verifyOnce(sessionId).then(
      ({ orderId, qrCodesGenerated }) => {
        if (!current) return;
        onVerified();
        toast.success("Payment Verified", verifiedWords(qrCodesGenerated));
        void navigate(`/order-confirmation?orderId=${orderId}`, { replace: true });
      },
      (error: unknown) => {
        if (!current) return;
        logError("verify payment", error);
        toast.error("Payment Verification Failed", "Could not verify your payment. Please contact support.");
        void navigate("/checkout", { replace: true, state: { verificationFailed: true } });
      },
    );
    return () => {
      current = false;
    };
  }, [sessionId, navigate, onVerified]);
  return <OrderConfirmationSkeleton label="Verifying your payment..." />;
}

/** There are no new codes when the payment was verified before, or when the codes come with the tickets. */
function verifiedWords(qrCodesGenerated: number): string {
  return qrCodesGenerated > 0
    ? `${count(qrCodesGenerated, "QR code")} generated for your tickets.`
    : "Your order is confirmed. Here are your tickets.";
}
