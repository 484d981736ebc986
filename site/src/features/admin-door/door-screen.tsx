// Selling at the door, with one hand on a phone: choose, take the money, show the codes.
import { useState } from "react";
import { formatClock } from "#lib/format.ts";
import { useFestival } from "#lib/festival/content.ts";
import { useSession } from "#lib/session/session.tsx";
import { StaleNote } from "#ui/lists/stale-note.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { CodesSheet } from "./codes-sheet.tsx";
import { CloseTillDialog } from "./close-till-dialog.tsx";
import type { RecentSale, Shift, Till } from "./model.ts";
import { OpenTillForm } from "./open-till-form.tsx";
import { useTill } from "./queries.ts";
import { RecentSales } from "./recent-sales.tsx";
import { SaleDesk } from "./sale-desk.tsx";
import { ShiftPanel } from "./shift-panel.tsx";
import { useSale } from "./use-sale.ts";
import { Unanswered } from "./unanswered.tsx";

export function DoorScreen() {
  const { data, error, isError, dataUpdatedAt, refetch } = useTill();
  const { user } = useSession();
  return (
    <>
      <ScreenHead
        title="Door Sales"
        badge={
          data && (
            <Badge tone={data.shift ? "success" : "warning"}>
              {data.shift ? "Till open" : "Till closed"}
            </Badge>
          )
        }
      />
      {data && isError && (
        <StaleNote className="mb-4" since={formatClock(dataUpdatedAt)} onRetry={() => void refetch()} />
      )}
      {data && user ? (
        <Counter till={data} userId={user.id} />
      ) : isError ? (
        <ErrorState
          title="Error loading the till. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status" className="space-y-3">
          <span className="sr-only">Loading the till</span>
          <Skeleton className="h-24" />
          <Skeleton className="h-24" />
          <Skeleton className="h-24" />
        </div>
      )}
    </>
  );
}

function Counter({ till, userId }: { till: Till; userId: string }) {
  const sale = useSale(userId);
  const [shown, setShown] = useState<RecentSale>();
  // Kept here: closing removes the till below, but the seller must still read its difference.
  const [closing, setClosing] = useState<Shift>();
  const { sold, unanswered } = sale;
  const isCancelled = useFestival().status === "cancelled";
  return (
    <>
      {unanswered && <Unanswered attempt={unanswered} onAgain={() => void sale.send(unanswered)} />}
      {isCancelled && (
        <WarningNote>
          The festival is canceled, so door sales are off. You can still void earlier sales and close tills.
        </WarningNote>
      )}
      {till.shift ? (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          {isCancelled ? <div /> : <SaleDesk till={till} sale={sale} />}
          <div className="grid min-w-0 gap-4">
            <ShiftPanel shift={till.shift} onClose={() => setClosing(till.shift ?? undefined)} />
            <RecentSales sales={till.recent} onShow={setShown} />
          </div>
        </div>
      ) : (
        <OpenTillForm />
      )}
      {closing && <CloseTillDialog shift={closing} onClose={() => setClosing(undefined)} />}
      {sold && (
        <CodesSheet
          key={sold.orderId}
          orderId={sold.orderId}
          title="Sold"
          words={sold.attempt.words}
          method={sold.attempt.method}
          cents={sold.attempt.cents}
          tendered={sold.attempt.tendered}
          closeLabel="Next Sale"
          onClose={sale.next}
        />
      )}
      {shown && (
        <CodesSheet
          orderId={shown.order_id}
          title="Codes"
          words={shown.items}
          method={shown.method}
          cents={Math.round(shown.amount * 100)}
          closeLabel="Close"
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}
