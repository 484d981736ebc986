import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ofItems, passesOf } from "./model.ts";
import { usePermits, useTickets } from "./queries.ts";
import { TicketCard } from "./ticket-card.tsx";

const PAGE = 10;

interface TicketListProps {
  userId: string;
  /** Only the tickets of these order items. */
  orderItemIds?: readonly string[];
}

/** The buyer's tickets and parking permits, newest first, some at a time. */
export function TicketList({ userId, orderItemIds }: TicketListProps) {
  const tickets = useTickets(userId);
  const permits = usePermits(userId);
  const [shown, setShown] = useState(PAGE);
  if (tickets.isPending || permits.isPending) return <TicketListSkeleton />;
  if (!tickets.data) {
    return (
      <ErrorState
        title="Error loading tickets. Please try again later."
        onRetry={() => void tickets.refetch()}
      />
    );
  }
  const listed = ofItems(passesOf(tickets.data, permits.data ?? []), orderItemIds);
  if (listed.length === 0 && permits.data) {
    return <EmptyState title="No tickets found">Tickets appear here as soon as an order is paid.</EmptyState>;
  }
  return (
    <>
      {!permits.data && (
        <ErrorState
          className="mb-6"
          title="Error loading parking permits. Please try again later."
          onRetry={() => void permits.refetch()}
        />
      )}
      <ul className="grid gap-6 xl:grid-cols-2">
        {listed.map((pass, index) => (
          // Paper shows all of them.
          <li key={pass.id} className={classNames("min-w-0", index >= shown && "hidden print:list-item")}>
            <TicketCard pass={pass} userId={userId} />
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
