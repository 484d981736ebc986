import { Maximize } from "lucide-react";
import { type ReactNode, useState } from "react";
import { shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CodeViewer } from "./code-viewer.tsx";
import { contentsOf, groupsOf, ofItems, passesOf, type PassGroup } from "./model.ts";
import { usePermits, useTickets } from "./queries.ts";
import { TicketCard } from "./ticket-card.tsx";

/** Orders shown at first, and with each press. */
const PAGE = 3;

interface TicketListProps {
  userId: string;
  /** Only the tickets of these order items. */
  orderItemIds?: readonly string[];
  /** What else can be done with the valid passes of an order. */
  actions?: (orderId: string, passes: number) => ReactNode;
}

/** The buyer's tickets and parking passes by order, what is still to use first, some orders at a time. */
export function TicketList({ userId, orderItemIds, actions }: TicketListProps) {
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
  const groups = groupsOf(listed);
  if (listed.length === 0 && permits.data) {
    return <EmptyState title="No tickets found">Tickets appear here as soon as an order is paid.</EmptyState>;
  }
  return (
    <>
      {!permits.data && (
        <ErrorState
          className="mb-6"
          title="Error loading parking passes. Please try again later."
          onRetry={() => void permits.refetch()}
        />
      )}
      <div className="grid gap-10">
        {groups.map((group, index) => (
          // Paper shows all of them.
          <div key={group.orderId} className={classNames("min-w-0", index >= shown && "hidden print:block")}>
            <OrderPasses group={group} userId={userId} actions={actions} />
          </div>
        ))}
      </div>
      {groups.length > shown && (
        <Button variant="secondary" className="mt-6 print:hidden" onClick={() => setShown(shown + PAGE)}>
          Show More Tickets
        </Button>
      )}
    </>
  );
}

function OrderPasses({
  group: { orderId, passes },
  userId,
  actions,
}: Pick<TicketListProps, "userId" | "actions"> & { group: PassGroup }) {
  const [shownId, setShownId] = useState<string>();
  const usable = passes.filter(({ isVoid }) => !isVoid);
  const [first] = usable;
  return (
    <section aria-labelledby={`passes-${orderId}`}>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div>
          <h3 id={`passes-${orderId}`} className="text-xl leading-tight font-bold">
            {contentsOf(passes)}
          </h3>
          <p className="text-ink-soft">
            in order <span className="font-mono">#{shortId(orderId)}</span>
          </p>
        </div>
        {first && (
          <div className="flex flex-wrap gap-3 print:hidden">
            <Button size="small" onClick={() => setShownId(first.id)}>
              <Maximize aria-hidden="true" className="size-4" strokeWidth={2.5} />
              Show Codes
            </Button>
            {actions?.(orderId, usable.length)}
          </div>
        )}
      </div>
      <ul className="grid gap-4 sm:gap-6 xl:grid-cols-2">
        {passes.map((pass) => (
          <li key={pass.id} className="min-w-0">
            <TicketCard pass={pass} userId={userId} onShow={() => setShownId(pass.id)} />
          </li>
        ))}
      </ul>
      {shownId !== undefined && (
        <CodeViewer passes={usable} startId={shownId} userId={userId} onClose={() => setShownId(undefined)} />
      )}
    </section>
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
