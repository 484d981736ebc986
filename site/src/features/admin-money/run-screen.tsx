// One refund run: its progress, its actions, and what needs attention.
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatCents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import { count, formatMoment, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { ProgressBar } from "#ui/figures/progress-bar.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { MoneyFrame } from "./money-frame.tsx";
import { stateOf, type Run, type RunProblem } from "./run-model.ts";
import { useRun, useSteerRun } from "./run-queries.ts";

export function RunScreen({ id }: { id: string }) {
  const { data, error, isError, isPending, refetch } = useRun(id);
  const state = data && stateOf(data);
  return (
    <MoneyFrame
      title="Refund run"
      badge={state && <Badge tone={state.tone}>{state.words}</Badge>}
      actions={data && <Steering run={data} />}
    >
      <Link
        to="/admin/money/refunds"
        className="mb-3 inline-flex min-h-9 items-center gap-1.5 underline underline-offset-4"
      >
        <ArrowLeft aria-hidden="true" className="size-4" /> All runs
      </Link>
      {data ? (
        <Progress run={data} />
      ) : isPending ? (
        <div role="status">
          <span className="sr-only">Loading the refund run</span>
          <Skeleton className="h-64" />
        </div>
      ) : isError ? (
        <ErrorState
          title="Error loading the refund run. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <EmptyState title={<h2>Run not found</h2>}>There is no refund run with this number.</EmptyState>
      )}
    </MoneyFrame>
  );
}

function Steering({ run }: { run: Run }) {
  const steer = useSteerRun(run.id);
  return (
    <>
      {run.state === "running" && (
        <Button variant="danger" size="small" busy={steer.isPending} onClick={() => steer.mutate("stop")}>
          Stop
        </Button>
      )}
      {run.state === "stopped" && (
        <Button size="small" busy={steer.isPending} onClick={() => steer.mutate("resume")}>
          Resume
        </Button>
      )}
      {run.state === "done" && run.refused > 0 && (
        <Button size="small" busy={steer.isPending} onClick={() => steer.mutate("retry")}>
          Retry {count(run.refused, "refused refund")}
        </Button>
      )}
    </>
  );
}

function Progress({ run }: { run: Run }) {
  const decided = run.orders_refunded + run.orders_skipped;
  // Some orders may have been refunded in the meantime, so fewer are left than were found.
  const all = run.state === "done" ? decided : Math.max(run.orders_found, decided);
  return (
    <div className="grid gap-4">
      <Panel title="Progress">
        <p id="run-progress" className="mb-2 font-semibold tabular-nums">
          {decided} of {count(all, "order")} processed
        </p>
        <ProgressBar
          aria-labelledby="run-progress"
          className="h-4 w-full"
          value={decided}
          max={Math.max(all, 1)}
        />
        <dl className="mt-4 grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          <Figure label="Sent to the provider">
            {count(run.orders_refunded, "order")}, {formatCents(run.cents_refunded)}
          </Figure>
          <Figure label="Refunded by the provider">
            {run.returned}, {formatCents(run.returned_cents)}
          </Figure>
          <Figure label="In progress">{run.under_way}</Figure>
          <Figure label="Refused by the provider">
            {run.refused}
            {run.refused > 0 && `, ${formatCents(run.refused_cents)}`}
          </Figure>
        </dl>
        <p className="mt-4 text-[0.9375rem] wrap-anywhere text-ink-soft">
          Started {formatMoment(run.started_at)}
          {run.started_by_email && ` by ${run.started_by_email}`}: {refundReasonText(run.reason)}
          {run.note && `, ${run.note}`}
          {run.finished_at && `. Finished ${formatMoment(run.finished_at)}`}
        </p>
      </Panel>
      <Panel title="Refused or skipped">
        <DataTable
          caption="Orders not refunded"
          rows={run.problems}
          rowKey={({ order_id, refused }) => `${order_id} ${refused}`}
          columns={columns}
          empty="None so far."
        />
      </Panel>
    </div>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm font-semibold text-ink-soft">{label}</dt>
      <dd className="text-lg font-semibold tabular-nums">{children}</dd>
    </div>
  );
}

const columns: readonly Column<RunProblem>[] = [
  {
    key: "order",
    header: "Order",
    cell: ({ order_id, buyer_full_name }) => (
      <Link to={`/admin/orders/${order_id}`} className="underline underline-offset-4">
        {buyer_full_name} <span className="font-mono text-sm">#{shortId(order_id)}</span>
      </Link>
    ),
  },
  { key: "what", phone: "plain", header: "Result", cell: ({ refused }) => (refused ? "Refused" : "Skipped") },
  {
    key: "cents",
    phone: "corner",
    header: "Amount",
    numeric: true,
    cell: ({ cents }) => (cents === null ? "" : formatCents(cents)),
  },
  {
    key: "why",
    phone: "line",
    header: "Why",
    cell: ({ message }) => <span className="wrap-anywhere">{message}</span>,
  },
];
