// Refunds of many orders at once: the filter, a preview, and past runs.
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { formatCents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import { count, formatMoment } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { MoneyFrame } from "./money-frame.tsx";
import { everybody, filterArgs, stateOf, type RunFilter, type RunProgress } from "./run-model.ts";
import { usePreview, useRuns } from "./run-queries.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunChoice } from "./run-choice.tsx";
import { StartDialog } from "./start-dialog.tsx";

export function RunsScreen() {
  return (
    <MoneyFrame title="Refund runs">
      <div className="grid gap-4">
        <NewRun />
        <Panel title="Past runs">
          <Runs />
        </Panel>
      </div>
    </MoneyFrame>
  );
}

function NewRun() {
  const navigate = useNavigate();
  const [filter, setFilter] = useState<RunFilter>(everybody);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState(false);
  // The filter's result stays in view while some of it is selected.
  const found = usePreview(filterArgs(filter, []));
  const meant = usePreview(filterArgs(filter, chosen));

  return (
    <Panel title="Bulk refund">
      <p className="mb-4 max-w-prose text-ink-soft">
        Refunds entire paid online orders: buyers get back everything not yet refunded, and their tickets stop
        working. Void door sales at the till, and revoke comps separately.
      </p>
      <RunFilters
        filter={filter}
        onChange={(next) => {
          setFilter(next);
          setChosen([]);
        }}
      />
      {found.isError ? (
        <ErrorState
          title="The orders couldn't be loaded. Please check your connection and try again."
          cause={found.error}
          onRetry={() => void found.refetch()}
        />
      ) : found.data === undefined ? (
        <div role="status">
          <span className="sr-only">Loading the orders</span>
          <Skeleton className="h-40" />
        </div>
      ) : (
        <RunChoice
          found={found.data}
          meant={meant}
          chosen={chosen}
          onChoose={setChosen}
          onStart={() => setAsking(true)}
        />
      )}
      {asking && meant.data && (
        <StartDialog
          filter={filterArgs(filter, chosen)}
          preview={meant.data}
          onClose={() => setAsking(false)}
          onStarted={(id) => void navigate(`/admin/money/refunds/${id}`)}
        />
      )}
    </Panel>
  );
}

function Runs() {
  const { data, error, isError, refetch } = useRuns();
  if (isError && data === undefined) {
    return (
      <ErrorState
        title="Error loading refund runs. Please check your connection and try again."
        cause={error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === undefined) {
    return (
      <div role="status">
        <span className="sr-only">Loading refund runs</span>
        <Skeleton className="h-24" />
      </div>
    );
  }
  return (
    <DataTable
      caption="Refund runs, newest first"
      rows={data}
      rowKey={({ id }) => id}
      columns={columns}
      empty="No refund runs yet."
    />
  );
}

const columns: readonly Column<RunProgress>[] = [
  {
    key: "started",
    header: "Started",
    cell: ({ id, started_at }) => (
      <Link to={`/admin/money/refunds/${id}`} className="font-semibold underline underline-offset-4">
        {formatMoment(started_at)}
      </Link>
    ),
  },
  { key: "reason", phone: "plain", header: "Reason", cell: ({ reason }) => refundReasonText(reason) },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (run) => {
      const { words, tone } = stateOf(run);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  {
    key: "orders",
    header: "Refunded",
    numeric: true,
    cell: ({ orders_refunded, orders_found }) => `${orders_refunded} of ${count(orders_found, "order")}`,
  },
  {
    key: "returned",
    header: "Returned",
    numeric: true,
    cell: ({ returned_cents }) => formatCents(returned_cents),
  },
  {
    key: "refused",
    header: "Refused",
    numeric: true,
    cell: ({ refused }) => (refused > 0 ? <strong className="text-candy-deep">{refused}</strong> : "0"),
  },
];
