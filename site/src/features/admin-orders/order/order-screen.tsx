// One order: its items, buyer, attendees, payments and history.
import { ArrowLeft } from "lucide-react";
import { Link } from "react-router";
import { formatCents, lineTotal } from "contract/shop/money";
import { formatPrice, formatMoment, shortId } from "#lib/format.ts";
import { useWayBack } from "#lib/lists/list-view.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { DataTable } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { historyOf, type HistoryEvent } from "../history/history.ts";
import { isDisputed, owedCents, stuckRefunds, type OrderCase } from "../model.ts";
import { channelNames, statusTone } from "../list/order-list.ts";
import { OrderActions } from "./order-actions.tsx";
import { Buyer, Notes, Tags } from "./order-desk.tsx";
import { OrderPayments } from "./order-payments.tsx";
import { OrderTickets } from "./order-tickets.tsx";
import { useOrderCase } from "../queries.ts";

export function OrderScreen({ id }: { id: string }) {
  const { data, error, isError, isPending, refetch } = useOrderCase(id);
  const back = useWayBack("/admin/orders");
  return (
    <>
      <Link {...back} className="mb-3 inline-flex min-h-9 items-center gap-1.5 underline underline-offset-4">
        <ArrowLeft aria-hidden="true" className="size-4" /> All orders
      </Link>
      {data ? (
        <OrderPage
          order={data.order}
          history={historyOf(data.order, data.audit, data.outbox, data.actors)}
          stuck={stuckRefunds(data.order, data.outbox)}
        />
      ) : isPending ? (
        <div role="status">
          <span className="sr-only">Loading the order</span>
          <Skeleton className="h-10 max-w-md" />
          <Skeleton className="mt-4 h-96" />
        </div>
      ) : isError ? (
        <ErrorState
          title="Error loading the order. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <EmptyState title={<h1>Order not found</h1>}>There is no order with this number.</EmptyState>
      )}
    </>
  );
}

interface OrderPageProps {
  order: OrderCase;
  history: readonly HistoryEvent[];
  stuck: ReadonlySet<string>;
}

function OrderPage({ order, history, stuck }: OrderPageProps) {
  return (
    <>
      <ScreenHead
        title={`Order #${shortId(order.id)}`}
        badge={
          <>
            <Badge tone={statusTone[order.status] ?? "default"} className="capitalize">
              {order.status}
            </Badge>
            {order.channel !== "online" && <Badge tone="highlight">{channelNames[order.channel]}</Badge>}
            {isDisputed(order) && <Badge tone="danger">Disputed</Badge>}
            {stuck.size > 0 && <Badge tone="danger">Refund failed</Badge>}
          </>
        }
        actions={<OrderActions order={order} owed={owedCents(order, stuck)} />}
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4">
          <Items order={order} isOwed={stuck.size > 0} />
          <OrderTickets order={order} isOwed={stuck.size > 0} />
          <OrderPayments order={order} stuck={stuck} />
        </div>
        <div className="grid min-w-0 gap-4">
          <Buyer order={order} />
          <Tags order={order} />
          <Notes order={order} />
          <Panel title="History">
            <ol className="space-y-3">
              {history.map((event) => (
                <li key={event.key} className="border-l-2 border-ink/25 pl-3 text-[0.9375rem]">
                  <span
                    className={classNames("break-words", event.failed && "font-semibold text-candy-deep")}
                  >
                    {event.text}
                  </span>
                  <time dateTime={event.at} className="block text-sm text-ink-soft tabular-nums">
                    {formatMoment(event.at)}
                  </time>
                </li>
              ))}
            </ol>
          </Panel>
        </div>
      </div>
    </>
  );
}

interface ItemsProps {
  order: OrderCase;
  /** A refund has failed, so what was taken back may not have been paid back. */
  isOwed: boolean;
}

function Items({ order, isOwed }: ItemsProps) {
  return (
    <Panel
      title="Items"
      aside={<strong className="tabular-nums">Total {formatPrice(order.total_amount)}</strong>}
    >
      <DataTable
        caption="Items of the order"
        rows={order.order_items.toSorted((a, b) => a.position - b.position)}
        rowKey={(item) => item.id}
        columns={[
          { key: "name", header: "Item", cell: (item) => item.name },
          {
            key: "quantity",
            header: "Quantity",
            numeric: true,
            cell: ({ quantity, refunded }) =>
              refunded > 0 ? `${quantity} (${refunded} ${isOwed ? "void" : "refunded"})` : quantity,
          },
          { key: "price", header: "Price", numeric: true, cell: (item) => formatPrice(item.unit_price) },
          {
            key: "sum",
            header: "Sum",
            numeric: true,
            cell: (item) => formatCents(lineTotal(item.unit_price, item.quantity)),
          },
        ]}
      />
      {order.discount_amount > 0 && (
        <p className="mt-3 flex justify-between gap-4 px-3">
          <span className="min-w-0 wrap-anywhere">
            Promo code <strong>{order.promo_code}</strong>
          </span>
          <span className="tabular-nums">{formatPrice(-order.discount_amount)}</span>
        </p>
      )}
      {order.fee_amount > 0 && (
        <p className="mt-3 flex justify-between gap-4 px-3">
          <span className="min-w-0 wrap-anywhere">
            {order.fee_name}
            {order.fee_refunded > 0 && ` (${formatPrice(order.fee_refunded)} refunded)`}
          </span>
          <span className="tabular-nums">{formatPrice(order.fee_amount)}</span>
        </p>
      )}
    </Panel>
  );
}
