import { Link } from "react-router";
import { count, formatPrice, formatStamp, shortId } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { Select } from "#ui/forms/input.tsx";
import { Pager } from "#ui/lists/pager.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { SearchField } from "#ui/lists/search-field.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import {
  isOrderStatusFilter,
  orderFilters,
  ORDERS_PAGE,
  statusTone,
  type OrderFilter,
  type OrderSummary,
} from "./model.ts";
import { orderCsv, orderCsvHeader, refundCsv, refundCsvHeader } from "./csv.ts";
import { useOrders } from "./queries.ts";

export function OrdersScreen() {
  const view = useListView(ORDERS_PAGE);
  const asked = view.filter("status");
  const status = isOrderStatusFilter(asked) ? asked : undefined;
  const filter = { status, search: view.search.settled };
  const { data, isError, isPlaceholderData, refetch } = useOrders(filter, view.start);
  const csv = useCsvExport({ name: "orders", header: orderCsvHeader, pages: () => orderCsv(filter) });
  const refunds = useCsvExport({ name: "refunds", header: refundCsvHeader, pages: refundCsv });

  return (
    <>
      <ScreenHead
        title="Orders Management"
        badge={data && <Badge>{count(data.all_count, "order")}</Badge>}
        actions={
          <>
            <ExportButton {...csv} />
            <ExportButton {...refunds} label="Export Refunds" />
          </>
        }
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchField
          aria-label="Search by name, email, phone, order, ticket or payment number"
          placeholder="Name, email, phone, order, ticket, payment"
          value={view.search.typed}
          onChange={(event) => view.search.type(event.target.value)}
        />
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => view.setFilter("status", event.target.value)}
        >
          <option value="">All statuses</option>
          {orderFilters.map(({ filter, label }) => (
            <option key={filter} value={filter}>
              {label}
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
          <OrderCards orders={data.orders} filter={filter} wayBack={view.wayBack} />
          <Pager
            label="Pages of orders"
            {...view.pagerOf(
              { rows: data.orders, total: data.total_count, exact: data.total_is_exact },
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
  filter: OrderFilter;
  wayBack: unknown;
}

function OrderCards({ orders, filter: { status, search }, wayBack }: OrderCardsProps) {
  if (orders.length === 0) {
    return (
      <EmptyState title={`No orders found${status ? ` with status "${status}"` : ""}`}>
        {search && (
          <p>
            Nothing matches “{search}”. Names, emails and phone numbers are found by the beginning of a word
            of three letters or more; order, ticket and payment numbers whole, an order by its first 8
            characters, a ticket by its last 6.
          </p>
        )}
      </EmptyState>
    );
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
