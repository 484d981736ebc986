// The orders of one buyer, newest first, a few at a time.
import { useState } from "react";
import { Link } from "react-router";
import { formatMoment, shortId } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Card } from "#ui/card.tsx";
import { EmptyState, ErrorState } from "#ui/screen-states.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { cancelText, isPaid, type Order } from "./model.ts";
import { OrderItems } from "./order-items.tsx";
import { OrderStatusBadge } from "./order-status-badge.tsx";
import { useOrders } from "./queries.ts";

const PAGE = 5;

export function OrderList({ userId }: { userId: string }) {
  const orders = useOrders(userId);
  const [shown, setShown] = useState(PAGE);
  if (orders.isPending) return <OrderListSkeleton />;
  if (!orders.data) {
    return (
      <ErrorState
        title="Error loading tickets. Please try again later."
        onRetry={() => void orders.refetch()}
      />
    );
  }
  if (orders.data.length === 0) {
    return (
      <EmptyState title="No orders found">
        Once you buy tickets, each order and its receipt is kept here.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="grid gap-5 lg:grid-cols-2">
        {orders.data.slice(0, shown).map((order) => (
          <li key={order.id} className="min-w-0">
            <OrderCard order={order} />
          </li>
        ))}
      </ul>
      {orders.data.length > shown && (
        <Button variant="secondary" className="mt-6 print:hidden" onClick={() => setShown(shown + PAGE)}>
          Show More Orders
        </Button>
      )}
    </>
  );
}

function OrderCard({ order }: { order: Order }) {
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
      {isPaid(order) && (
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
      )}
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
