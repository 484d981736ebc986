import { Maximize } from "lucide-react";
import { type ReactNode, useState } from "react";
import { shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CodeViewer } from "./code-viewer.tsx";
import {
  type Pass,
  contentsOf,
  groupsOf,
  isChangeable,
  isUnused,
  offersOf,
  passesOf,
  type PassGroup,
  type Transfer,
  unusedFirst,
  type UseById,
  usesOf,
} from "./model.ts";
import { PassedOn } from "./passed-on.tsx";
import { useLiveScans, useExtras, usePolledScans, useTickets, useTransfers } from "./queries.ts";
import { TicketCard } from "./ticket-card.tsx";
import { TicketChanges } from "./ticket-changes.tsx";
import { TransfersClosed } from "./transfers-closed.tsx";

/** Orders shown at first, and added with each press. */
const PAGE = 3;

interface TicketListProps {
  userId: string;
  /** Shows only passes of this order. */
  orderId?: string;
  /** Further actions for the valid passes of an order. */
  actions?: (orderId: string, passes: number) => ReactNode;
  /** Further actions for a valid pass. */
  passActions?: (pass: Pick<Pass, "id" | "holder">) => ReactNode;
}

/** The buyer's tickets and extras by order, unused ones first, a few orders at a time. */
export function TicketList({ userId, orderId, actions, passActions }: TicketListProps) {
  const tickets = useTickets(userId);
  const extras = useExtras(userId);
  const transfers = useTransfers(userId);
  const [shown, setShown] = useState(PAGE);
  const passes = passesOf(tickets.data ?? [], extras.data ?? []);
  const useWhenShown = useUseWhenShown(passes);
  // Not on the page after a purchase, where every order of a rush would open a socket.
  const isLive = useLiveScans(userId, orderId === undefined && passes.some(({ isVoid }) => !isVoid));
  if (tickets.isPending || extras.isPending || transfers.isPending) return <TicketListSkeleton />;
  if (!tickets.data) {
    return (
      <ErrorState
        title="Error loading tickets. Please try again later."
        onRetry={() => void tickets.refetch()}
      />
    );
  }
  const all = groupsOf(passes, transfers.data ?? [], userId, useWhenShown);
  const groups = orderId === undefined ? all : all.filter((group) => group.orderId === orderId);
  const offers = offersOf(transfers.data ?? []);
  if (groups.length === 0 && extras.data && transfers.data) {
    return <NoTickets isOfOrder={orderId !== undefined} />;
  }
  return (
    <>
      {!extras.data && (
        <ErrorState
          className="mb-6"
          title="Error loading what else you bought. Please try again later."
          onRetry={() => void extras.refetch()}
        />
      )}
      {!transfers.data && (
        <ErrorState
          className="mb-6"
          title="Error loading transfers. Please try again later."
          onRetry={() => void transfers.refetch()}
        />
      )}
      {passes.some(isChangeable) && <TransfersClosed />}
      <div className="grid gap-10">
        {groups.map((group, index) => (
          // In print, all of them are visible.
          <div key={group.orderId} className={classNames("min-w-0", index >= shown && "hidden print:block")}>
            <OrderPasses {...{ group, offers, isLive, userId, actions, passActions }} />
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

function NoTickets({ isOfOrder }: { isOfOrder: boolean }) {
  return (
    <EmptyState title="No tickets found">
      Tickets appear here as soon as an order is paid.
      {!isOfOrder &&
        " Did someone else buy your ticket? It's in the email we sent you. They can also transfer it to you, and then it appears here."}
    </EmptyState>
  );
}

/** How far each pass was used when this page first showed it: the next visit sorts anew. */
function useUseWhenShown(passes: readonly Pass[]): UseById {
  const [known, setKnown] = useState(() => usesOf(passes));
  if (passes.every(({ id }) => known.has(id))) return known;
  const uses = usesOf(passes, known);
  setKnown(uses);
  return uses;
}

interface OrderPassesProps extends Pick<TicketListProps, "userId" | "actions" | "passActions"> {
  group: PassGroup;
  /** Keyed by ticket id. */
  offers: ReadonlyMap<string, Transfer>;
  /** Whether scans show without a reload. */
  isLive: boolean;
}

function OrderPasses({ group, offers, isLive, userId, actions, passActions }: OrderPassesProps) {
  const { orderId, passes, passedOn, from } = group;
  const [shownId, setShownId] = useState<string>();
  const offerable = passes.filter((pass) => isChangeable(pass) && !offers.has(pass.id));
  const usable = passes.filter(({ isVoid }) => !isVoid);
  const [first] = unusedFirst(usable);
  usePolledScans(userId, !isLive && shownId !== undefined && usable.some(isUnused));
  return (
    <section aria-labelledby={`passes-${orderId} order-of-${orderId}`}>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div>
          <h3 id={`passes-${orderId}`} className="text-xl leading-tight font-bold">
            {passes.length > 0 ? contentsOf(passes) : "Nothing left"}
          </h3>
          <p id={`order-of-${orderId}`} className="text-ink-soft wrap-anywhere">
            in order <span className="font-mono">#{shortId(orderId)}</span>
            {from.length > 0 && <>, transferred by {from.join(" and ")}</>}
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
      {passes.length > 0 && (
        <ul className="grid gap-4 sm:gap-6 xl:grid-cols-2">
          {passes.map((pass) => (
            <li key={pass.id} className="grid min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[1fr]">
              <TicketCard
                pass={pass}
                userId={userId}
                onShow={() => setShownId(pass.id)}
                foot={
                  isChangeable(pass) && (
                    <TicketChanges
                      key={offers.get(pass.id)?.offer_id}
                      {...{ offerable, userId }}
                      ticket={pass}
                      offer={offers.get(pass.id)}
                    />
                  )
                }
              />
              {!pass.isVoid && passActions?.(pass)}
            </li>
          ))}
        </ul>
      )}
      {passedOn.length > 0 && <PassedOn transfers={passedOn} />}
      {shownId !== undefined && (
        <CodeViewer passes={passes} startId={shownId} userId={userId} onClose={() => setShownId(undefined)} />
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
