// The orders of one buyer, newest first, a few at a time. Checkouts abandoned before payment are folded away.
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { count, formatMoment, shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { serverNow } from "#lib/time/server-clock.ts";
import { cancelText, isAbandoned, isPaid, isPayable, type Order } from "./model.ts";
import { OrderItems } from "./order-items.tsx";
import { OrderStatusBadge } from "./order-status-badge.tsx";
import { useOrders } from "./queries.ts";
import { RefundOffer } from "./refund-offer.tsx";

const PAGE = 5;

interface OrderListProps {
  userId: string;
  onContinuePayment: (order: Order) => void;
}

export function OrderList({ userId, onContinuePayment }: OrderListProps) {
  const orders = useOrders(userId);
  const [shown, setShown] = useState(PAGE);
  const all = orders.data?.pages.flat() ?? [];
  const listed = all.filter((order) => !isAbandoned(order));
  const abandoned = all.filter(isAbandoned);
  // A page may contain only abandoned checkouts. Paid orders are further back.
  const looksFurther = listed.length === 0 && orders.hasNextPage && !orders.isFetchNextPageError;
  const { fetchNextPage, isFetchingNextPage } = orders;
  useEffect(() => {
    if (looksFurther && !isFetchingNextPage) void fetchNextPage();
  }, [looksFurther, isFetchingNextPage, fetchNextPage]);
  if (orders.isPending || looksFurther) return <OrderListSkeleton />;
  if (!orders.data) {
    return (
      <ErrorState
        title="Error loading tickets. Please try again later."
        onRetry={() => void orders.refetch()}
      />
    );
  }
  function showMore() {
    setShown(shown + PAGE);
    if (orders.hasNextPage && listed.length <= shown + PAGE) void fetchNextPage();
  }
  return (
    <>
      {listed.length === 0 && !orders.hasNextPage ? (
        <EmptyState title="No orders found">
          Once you buy tickets, your orders and receipts appear here.
        </EmptyState>
      ) : (
        <ul className="grid gap-5 lg:grid-cols-2">
          {listed.slice(0, shown).map((order) => (
            <li key={order.id} className="min-w-0">
              <OrderCard order={order} onContinuePayment={onContinuePayment} />
            </li>
          ))}
        </ul>
      )}
      {orders.isFetchNextPageError && (
        <p role="alert" className="mt-6 font-semibold text-candy-deep">
          Your earlier orders could not be loaded. Please try again.
        </p>
      )}
      {(listed.length > shown || orders.hasNextPage) && (
        <Button
          variant="secondary"
          className="mt-6 print:hidden"
          busy={isFetchingNextPage}
          onClick={showMore}
        >
          Show More Orders
        </Button>
      )}
      {abandoned.length > 0 && <Abandoned orders={abandoned} />}
    </>
  );
}

/** Neither paid nor held: one line each. */
function Abandoned({ orders }: { orders: readonly Order[] }) {
  return (
    <details className="mt-6 border-2 border-ink/25 p-4 print:hidden">
      <summary className="min-h-6 font-semibold">{count(orders.length, "unfinished checkout")}</summary>
      <ul className="mt-3 divide-y-2 divide-dotted divide-ink/30">
        {orders.map((order) => (
          <li key={order.id} className="py-2.5">
            <p>
              <span className="font-semibold">Order #{shortId(order.id)}</span>,{" "}
              {formatMoment(order.created_at)}
            </p>
            <p className="text-ink-soft">{cancelText(order)} You have not been charged.</p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function OrderCard({ order, onContinuePayment }: Omit<OrderListProps, "userId"> & { order: Order }) {
  const name = `Order #${shortId(order.id)}`;
  return (
    <Card padding="small" className="flex h-full flex-col break-inside-avoid p-5!">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h3 className="display text-2xl">{name}</h3>
          <p className="text-ink-soft">{formatMoment(order.created_at)}</p>
        </div>
        <OrderStatusBadge status={order.status} />
      </div>
      <div className="mt-3 flex-1">
        <OrderItems order={order} />
      </div>
      {order.status === "cancelled" && <p className="mt-3 text-ink-soft">{cancelText(order)}</p>}
      {isPayable(order, serverNow()) && (
        <Button
          size="small"
          className="mt-3 self-start print:hidden"
          aria-label={`Continue Payment of ${name}`}
          onClick={() => onContinuePayment(order)}
        >
          Continue Payment
        </Button>
      )}
      {isPaid(order) && <RefundOffer order={order} />}
      <Button
        asChild
        variant="ghost"
        size="small"
        className="mt-3 -ml-3 self-start underline underline-offset-4 print:hidden"
      >
        <Link to={`/order-confirmation?orderId=${order.id}`} aria-label={`View ${name}`}>
          View Order
        </Link>
      </Button>
    </Card>
  );
}

function OrderListSkeleton() {
  return (
    <div role="status" className="grid gap-5 lg:grid-cols-2">
      <span className="sr-only">Loading your orders</span>
      <Skeleton className="h-56" />
      <Skeleton className="h-56 max-lg:hidden" />
    </div>
  );
}
