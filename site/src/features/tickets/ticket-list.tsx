import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ticketsOf } from "./model.ts";
import { useTickets } from "./queries.ts";
import { TicketCard } from "./ticket-card.tsx";

const PAGE = 10;

interface TicketListProps {
  userId: string;
  /** Only the tickets of these order items. */
  orderItemIds?: readonly string[];
}

/** The buyer's tickets, newest first, some at a time. */
export function TicketList({ userId, orderItemIds }: TicketListProps) {
  const tickets = useTickets(userId);
  const [shown, setShown] = useState(PAGE);
  if (tickets.isPending) return <TicketListSkeleton />;
  if (!tickets.data) {
    return (
      <ErrorState
        title="Error loading tickets. Please try again later."
        onRetry={() => void tickets.refetch()}
      />
    );
  }
  const listed = ticketsOf(tickets.data, orderItemIds);
  if (listed.length === 0) {
    return <EmptyState title="No tickets found">Tickets appear here as soon as an order is paid.</EmptyState>;
  }
  return (
    <>
      <ul className="grid gap-6 xl:grid-cols-2">
        {listed.map((ticket, index) => (
          // Paper shows all of them.
          <li key={ticket.id} className={classNames("min-w-0", index >= shown && "hidden print:list-item")}>
            <TicketCard ticket={ticket} userId={userId} />
          </li>
        ))}
      </ul>
      {listed.length > shown && (
        <Button variant="secondary" className="mt-6 print:hidden" onClick={() => setShown(shown + PAGE)}>
          Show More Tickets
        </Button>
      )}
    </>
  );
}

function TicketListSkeleton() {
  return (
    <div role="status" className="grid gap-6 xl:grid-cols-2">
      <span className="sr-only">Loading your tickets</span>
      <Skeleton className="h-72" />
      <Skeleton className="h-72 max-xl:hidden" />
    </div>
  );
}
