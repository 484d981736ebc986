import { Link } from "react-router";
import { count, formatPrice, formatStamp, shortId } from "#lib/format.ts";
import { useListView } from "#lib/list-view.ts";
import { useCsvExport } from "#lib/use-csv-export.ts";
import { Badge } from "#ui/badge.tsx";
import { Button } from "#ui/button.tsx";
import { ExportButton } from "#ui/export-button.tsx";
import { Select } from "#ui/input.tsx";
import { Pager } from "#ui/pager.tsx";
import { ScreenHead } from "#ui/screen-head.tsx";
import { EmptyState, ErrorState } from "#ui/screen-states.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { isOrderStatus, ORDERS_PAGE, orderStatuses, statusTone, type OrderSummary } from "./model.ts";
import { orderCsv, orderCsvHeader, useOrders } from "./queries.ts";

export function OrdersScreen() {
  const view = useListView(ORDERS_PAGE);
  const asked = view.filter("status");
  const status = isOrderStatus(asked) ? asked : undefined;
  const { data, isError, isPlaceholderData, refetch } = useOrders(status, view.start);
  const csv = useCsvExport({ name: "orders", header: orderCsvHeader, pages: () => orderCsv(status) });

  return (
    <>
      <ScreenHead
        title="Orders Management"
        badge={data && <Badge>{count(data.total_count, "order")}</Badge>}
        actions={<ExportButton {...csv} />}
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => view.setFilter("status", event.target.value)}
        >
          <option value="">All statuses</option>
          {orderStatuses.map((name) => (
            <option key={name} value={name}>
              {name.charAt(0).toUpperCase() + name.slice(1)}
            </option>
          ))}
        </Select>
        {status && (
          <Button variant="ghost" size="small" onClick={() => view.setFilter("status", "")}>
            Clear Filter
          </Button>
        )}
      </div>
      {data ? (
        <>
          <OrderCards orders={data.orders} status={status} wayBack={view.wayBack} />
          <Pager
            label="Pages of orders"
            {...view.pagerOf(
              { rows: data.orders, total: data.total_count, exact: true },
              !isPlaceholderData,
              (last) => ({ at: last.created_at, id: last.id }),
            )}
          />
        </>
      ) : isError ? (
        <ErrorState
          title="Error loading orders. Please check your connection and try again."
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status" className="space-y-2">
          <span className="sr-only">Loading orders</span>
          {Array.from({ length: ORDERS_PAGE }, (_, index) => (
            <Skeleton key={index} className="h-18" />
          ))}
        </div>
      )}
    </>
  );
}

interface OrderCardsProps {
  orders: readonly OrderSummary[];
  status: string | undefined;
  wayBack: unknown;
}

function OrderCards({ orders, status, wayBack }: OrderCardsProps) {
  if (orders.length === 0) {
    return <EmptyState title={`No orders found${status ? ` with status "${status}"` : ""}`} />;
  }
  return (
    <ul className="space-y-2">
      {orders.map((order) => (
        <li
          key={order.id}
          className="relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-5 gap-y-1.5 border border-ink/20 bg-sheet px-4 py-3 hover:border-ink sm:grid-cols-[10rem_minmax(0,1fr)_7rem_8rem] sm:items-center"
        >
          <span>
            <Link
              to={`/admin/orders/${order.id}`}
              state={wayBack}
              className="font-mono text-[0.9375rem] font-bold underline underline-offset-4 after:absolute after:inset-0"
            >
              #{shortId(order.id)}
            </Link>
            <time dateTime={order.created_at} className="block text-sm text-ink-soft tabular-nums">
              {formatStamp(order.created_at)}
            </time>
          </span>
          <span className="order-1 min-w-0 sm:order-none">
            <span className="block truncate font-semibold">{order.buyer_full_name}</span>
            <span className="block truncate text-sm text-ink-soft">{order.buyer_email}</span>
          </span>
          <span>
            <Badge tone={statusTone[order.status] ?? "default"} className="capitalize">
              {order.status}
            </Badge>
          </span>
          <span className="order-2 text-right sm:order-none">
            <span className="font-bold tabular-nums">{formatPrice(order.total_amount)}</span>
            <span className="block text-sm text-ink-soft">{count(order.item_count, "item")}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
