// Disputes by buyers' banks, open ones first. They are answered in the provider's back office.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { z } from "zod";
import { formatAmount } from "contract/shop/currency";
import { count, formatDay, formatMoment, shortId } from "#lib/format.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { MoneyFrame } from "./money-frame.tsx";

const dispute = z.object({
  id: z.string(),
  order_id: z.string(),
  buyer_full_name: z.string(),
  cents: z.number(),
  currency: z.string(),
  reason: z.string(),
  status: z.string(),
  is_open: z.boolean(),
  is_due: z.boolean().nullable(),
  evidence_due_by: z.string().nullable(),
  opened_at: z.string(),
});
type Dispute = z.infer<typeof dispute>;

const EVERY_MS = 60_000;

export function DisputesScreen() {
  const { data, error, isError, refetch } = useQuery({
    queryKey: ["disputes"],
    refetchInterval: EVERY_MS,
    queryFn: async () =>
      parseAnswer(
        "disputes",
        z.array(dispute),
        await read("disputes", (supabase) => supabase.rpc("list_disputes")),
      ),
  });
  const due = data?.filter(({ is_due }) => is_due).length ?? 0;
  return (
    <MoneyFrame
      title="Disputes"
      badge={due > 0 && <Badge tone="danger">{count(due, "deadline")} within 3 days</Badge>}
    >
      <p className="mb-4 max-w-prose text-ink-soft">
        The buyer asked their bank for a refund. Respond with evidence in the payment provider’s dashboard
        before the deadline. Without a response, the dispute is lost and the order ends.
      </p>
      {data !== undefined ? (
        <DataTable
          caption="Disputes, open first, then by deadline"
          rows={data}
          rowKey={({ id }) => id}
          columns={columns}
          empty="No payment has been disputed."
        />
      ) : isError ? (
        <ErrorState
          title="Error loading disputes. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading disputes</span>
          <Skeleton className="h-40" />
        </div>
      )}
    </MoneyFrame>
  );
}

/** "product_not_received" as "Product not received". */
const inWords = (name: string): string => {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const columns: readonly Column<Dispute>[] = [
  {
    key: "due",
    header: "Respond by",
    cell: ({ evidence_due_by, is_due, is_open }) =>
      !is_open || evidence_due_by === null ? (
        <span className="text-ink-soft">{is_open ? "No deadline" : "Closed"}</span>
      ) : (
        <span className="flex flex-wrap items-center gap-2 tabular-nums">
          <span className="whitespace-nowrap">{formatMoment(evidence_due_by)}</span>
          {is_due && <Badge tone="danger">Due</Badge>}
        </span>
      ),
  },
  {
    key: "order",
    header: "Order",
    cell: ({ order_id, buyer_full_name }) => (
      <Link to={`/admin/orders/${order_id}`} className="wrap-anywhere underline underline-offset-4">
        {buyer_full_name} <span className="font-mono text-sm">#{shortId(order_id)}</span>
      </Link>
    ),
  },
  {
    key: "amount",
    phone: "corner",
    header: "Amount",
    numeric: true,
    cell: (row) => formatAmount(row.cents, row.currency),
  },
  { key: "reason", header: "Reason", cell: ({ reason }) => inWords(reason) },
  { key: "status", header: "Status", cell: ({ status }) => inWords(status) },
  { key: "opened", header: "Opened", cell: ({ opened_at }) => formatDay(opened_at) },
];
