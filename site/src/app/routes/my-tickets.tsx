// A buyer's tickets and orders on one page, which also prints.
import { Link } from "react-router";
import { RequireUser } from "#features/account/require-user.tsx";
import { OrderList } from "#features/orders/order-list.tsx";
import { KeepNote } from "#features/tickets/kept/keep-note.tsx";
import { OrKeptTickets } from "#features/tickets/kept/kept-tickets.tsx";
import { TicketList } from "#features/tickets/ticket-list.tsx";
import { useCurrentFacts } from "#lib/festival/use-current-facts.ts";
import { Button } from "#ui/basics/button.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { useContinuePayment } from "../continue-payment.ts";
import { ticketPapers, ticketWallets } from "../ticket-papers.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "My Tickets",
    description: "Your orders and tickets with entry QR codes.",
  });

export default function MyTicketsRoute() {
  useCurrentFacts();
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36 print:pt-0">
      <NeedsScript title="My Tickets" />
      <OrKeptTickets>
        <RequireUser>
          {(user) => (
            <>
              <PageHeader
                title="My Tickets"
                actions={
                  <div className="flex flex-wrap gap-3 print:hidden">
                    <Button asChild variant="secondary">
                      <Link to="/dashboard">Back to Dashboard</Link>
                    </Button>
                    <Button asChild>
                      <Link to="/tickets">Buy More Tickets</Link>
                    </Button>
                  </div>
                }
              />
              <section aria-labelledby="tickets-title" className="mt-10">
                <h2 id="tickets-title" className="display mb-5 text-title">
                  Your Tickets
                </h2>
                <KeepNote userId={user.id} />
                <TicketList userId={user.id} actions={ticketPapers} passActions={ticketWallets} />
              </section>
              <section aria-labelledby="orders-title" className="mt-14">
                <h2 id="orders-title" className="display mb-5 text-title">
                  Your Orders
                </h2>
                <Orders userId={user.id} />
              </section>
            </>
          )}
        </RequireUser>
      </OrKeptTickets>
    </div>
  );
}

function Orders({ userId }: { userId: string }) {
  return <OrderList userId={userId} onContinuePayment={useContinuePayment(userId)} />;
}
