// A buyer's account page, and where the payment provider redirects back to.
import { useQueryClient } from "@tanstack/react-query";
import { Suspense } from "react";
import { AccountPanel, WelcomePanel } from "#features/account/dashboard-panels.tsx";
import { RequireUser } from "#features/account/require-user.tsx";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import { PaymentReturn } from "#features/checkout/payment/payment-return.tsx";
import { OrderList } from "#features/orders/order-list.tsx";
import { TicketList } from "#features/tickets/ticket-list.tsx";
import type { SessionUser } from "#lib/session/session.tsx";
import { lazily } from "#ui/basics/lazily.ts";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { useContinuePayment } from "../continue-payment.ts";
import { ticketPapers, ticketWallets } from "../ticket-papers.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

const AccountSecurity = lazily(() => import("#features/account-security/account-security.tsx"));

export const meta = () =>
  pageHead({
    title: "My Account",
    description: "Your orders, your tickets and your account.",
  });

export default function DashboardRoute() {
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36 print:pt-0">
      <NeedsScript title="My Account" />
      <RequireUser>{(user) => <Dashboard user={user} />}</RequireUser>
    </div>
  );
}

function Dashboard({ user }: { user: SessionUser }) {
  const cart = useCart(user.id);
  const queryClient = useQueryClient();
  const continuePayment = useContinuePayment(user.id);
  function refresh() {
    void queryClient.invalidateQueries({ queryKey: ["orders"] });
    void queryClient.invalidateQueries({ queryKey: ["tickets"] });
  }
  return (
    <>
      <PaymentReturn userId={user.id} cart={cart} onPaid={refresh} />
      <WelcomePanel user={user} />
      <section aria-labelledby="yours-title" className="mt-14">
        <h2 id="yours-title" className="display mb-6 border-b-4 border-ink pb-3 text-title">
          Your Tickets &amp; Orders
        </h2>
        <h3 className="display mb-4 text-heading">Tickets</h3>
        <TicketList userId={user.id} actions={ticketPapers} passActions={ticketWallets} />
        <h3 className="display mt-10 mb-4 text-heading">Orders</h3>
        <OrderList userId={user.id} onContinuePayment={continuePayment} />
      </section>
      <AccountPanel user={user} />
      <Suspense fallback={<Skeleton className="mt-14 h-80" />}>
        <AccountSecurity user={user} />
      </Suspense>
    </>
  );
}
