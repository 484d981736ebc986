// One order, by its id or by the payment session that paid it.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { Navigate, useSearchParams } from "react-router";
import { RequireUser } from "#features/account/require-user.tsx";
import { OrderConfirmation } from "#features/orders/order-confirmation.tsx";
import { PaymentVerification } from "#features/orders/payment-verification.tsx";
import { OrderPapers } from "#features/papers/order-papers.tsx";
import { TicketList } from "#features/tickets/ticket-list.tsx";
import { useContinuePayment } from "../continue-payment.ts";
import { ticketPapers, ticketWallets } from "../ticket-papers.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Order Confirmation",
    description: "Your order and its tickets.",
  });

export default function OrderConfirmationRoute() {
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36 print:pt-0">
      <NeedsScript title="Order Confirmation" />
      <RequireUser>{(user) => <Confirmation userId={user.id} />}</RequireUser>
    </div>
  );
}

function Confirmation({ userId }: { userId: string }) {
  const [search] = useSearchParams();
  const continuePayment = useContinuePayment(userId);
  const queryClient = useQueryClient();
  const refresh = useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: ["orders"] });
    void queryClient.invalidateQueries({ queryKey: ["tickets"] });
  }, [queryClient]);
  const orderId = search.get("orderId");
  const sessionId = search.get("session_id");
  if (orderId) {
    return (
      <OrderConfirmation
        userId={userId}
        orderId={orderId}
        tickets={(order) => (
          <TicketList userId={userId} orderId={order.id} actions={ticketPapers} passActions={ticketWallets} />
        )}
        onContinuePayment={continuePayment}
        papers={(order) => (
          <OrderPapers
            orderId={order.id}
            isValid={order.status === "confirmed" || order.status === "completed"}
          />
        )}
      />
    );
  }
  if (sessionId) return <PaymentVerification sessionId={sessionId} onVerified={refresh} />;
  return <Navigate to="/dashboard" replace />;
}
