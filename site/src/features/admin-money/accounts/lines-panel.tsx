// Line by line: a payment, refund or dispute in our books and in the provider's.
import { useState } from "react";
import { Link } from "react-router";
import { formatAmount } from "contract/shop/currency";
import { refundReasonText } from "contract/shop/refund-reasons";
import { count, formatMoment, shortId } from "#lib/format.ts";
import { Badge, type BadgeTone } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { FoldingPanel } from "#ui/page/folding-panel.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { entryNames, stateNames, type AccountLine } from "./accounts-model.ts";
import { useLines, type Period } from "./accounts-queries.ts";

const OPEN = "open";
const filters = [
  { value: OPEN, label: "All mismatches" },
  ...Object.entries(stateNames).map(([value, label]) => ({ value, label })),
];
const tones: Readonly<Record<string, BadgeTone>> = { matched: "success", waiting: "default" };

export function LinesPanel({ period }: { period: Period }) {
  return (
    <FoldingPanel title="Line by line">
      <Lines period={period} />
    </FoldingPanel>
  );
}

function Lines({ period }: { period: Period }) {
  const [state, setState] = useState(OPEN);
  const read = useLines(period, state);
  const { data, error, isError, isPlaceholderData, refetch } = read;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const total = data?.pages[0]?.total_count ?? 0;
  return (
    <>
      <div className="mb-3">
        <FilterSelect
          label="Which lines"
          value={state}
          all="All lines"
          options={filters}
          onChoose={setState}
        />
      </div>
      {data !== undefined ? (
        <div className={isPlaceholderData ? "opacity-60" : ""} aria-busy={isPlaceholderData}>
          <p className="mb-3 text-ink-soft" role="status">
            {count(total, "line")}
            {total > rows.length && `, the newest ${rows.length} shown`}
          </p>
          <DataTable
            caption="Our books and the provider’s, newest first"
            rows={rows}
            rowKey={({ key }) => key}
            columns={columns}
            empty={
              isPlaceholderData
                ? "Loading the lines"
                : state === OPEN
                  ? "Everything matches."
                  : "No such lines in this period."
            }
          />
          <ShowMore {...read} />
        </div>
      ) : isError ? (
        <ErrorState
          title="Error loading the lines. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading the lines</span>
          <Skeleton className="h-40" />
        </div>
      )}
    </>
  );
}

function ShowMore({
  hasNextPage,
  isPlaceholderData,
  isFetchingNextPage,
  fetchNextPage,
}: ReturnType<typeof useLines>) {
  if (!hasNextPage || isPlaceholderData) return null;
  return (
    <Button
      className="mt-3"
      variant="secondary"
      size="small"
      disabled={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    >
      {isFetchingNextPage ? "Loading" : "Show More"}
    </Button>
  );
}

const amount = (cents: number | null, currency: string) =>
  cents === null ? <span className="text-ink-soft">None</span> : formatAmount(cents, currency);

const columns: readonly Column<AccountLine>[] = [
  {
    key: "at",
    header: "Time",
    cell: ({ at }) => <span className="text-sm tabular-nums">{formatMoment(at)}</span>,
  },
  {
    key: "entry",
    header: "Kind",
    cell: ({ entry, reason }) => (
      <>
        {entryNames[entry] ?? entry}
        {reason && <span className="block text-sm text-ink-soft">{refundReasonText(reason)}</span>}
      </>
    ),
  },
  {
    key: "about",
    header: "About",
    cell: ({ order_id, buyer_full_name, about_id, description }) => (
      <>
        {order_id ? (
          <Link to={`/admin/orders/${order_id}`} className="wrap-anywhere underline underline-offset-4">
            {buyer_full_name} <span className="font-mono text-sm">#{shortId(order_id)}</span>
          </Link>
        ) : (
          (description ?? "Not one of our orders")
        )}
        <span className="block font-mono text-xs wrap-anywhere text-ink-soft">{about_id}</span>
      </>
    ),
  },
  { key: "ours", header: "Our books", numeric: true, cell: (row) => amount(row.our_cents, row.currency) },
  {
    key: "theirs",
    header: "Provider",
    numeric: true,
    cell: (row) => amount(row.provider_cents, row.currency),
  },
  {
    key: "difference",
    header: "Difference",
    numeric: true,
    cell: ({ difference, currency, state }) =>
      difference === 0 ? (
        formatAmount(0, currency)
      ) : (
        <strong className={state === "waiting" ? "" : "text-candy-deep"}>
          {formatAmount(difference, currency)}
        </strong>
      ),
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: ({ state }) => <Badge tone={tones[state] ?? "danger"}>{stateNames[state] ?? state}</Badge>,
  },
];
