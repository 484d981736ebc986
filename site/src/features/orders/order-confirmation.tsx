// One order and what is true of it now, from its payment on, or that it is missing.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatMoment, shortId } from "#lib/format.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Bull } from "#ui/art/bull.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { isPaid, type Order, wasPaid } from "./model.ts";
import { OrderHeadline } from "./order-headline.tsx";
import { OrderItems } from "./order-items.tsx";
import { OrderStatusBadge } from "./order-status-badge.tsx";
import { useOrder } from "./queries.ts";
import { RefundOffer } from "./refund-offer.tsx";
import { WhatsNext } from "./whats-next.tsx";

interface OrderConfirmationProps {
  userId: string;
  orderId: string;
  /** The tickets of the order, once it is paid. */
  tickets: (order: Order) => ReactNode;
  /** The documents its buyer may keep, once it was paid. */
  papers: (order: Order) => ReactNode;
  onContinuePayment: (order: Order) => void;
}

export function OrderConfirmation({
  userId,
  orderId,
  tickets,
  papers,
  onContinuePayment,
}: OrderConfirmationProps) {
  const { data: order, isPending, isError, refetch } = useOrder(userId, orderId);
  if (isPending) return <OrderConfirmationSkeleton label="Loading your order" />;
  if (isError && order === undefined) {
    return (
      <ErrorState title="Error loading tickets. Please try again later." onRetry={() => void refetch()} />
    );
  }
  if (!order) return <OrderMissing />;
  return (
    <>
      <OrderHeadline order={order} onContinuePayment={onContinuePayment} />
      <div className="mt-10 grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <CardTitle>Order Summary</CardTitle>
            <OrderStatusBadge status={order.status} />
          </div>
          <p className="mt-1 mb-3 text-ink-soft">
            Order #{shortId(order.id)}, {formatMoment(order.created_at)}
          </p>
          <OrderItems order={order} />
          {isPaid(order) && <RefundOffer order={order} />}
        </Card>
        <Buyer order={order} />
      </div>
      {isPaid(order) && (
        <>
          <section aria-labelledby="tickets-title" className="mt-14">
            <h2 id="tickets-title" className="display mb-6 text-title">
              Your Tickets
            </h2>
            {tickets(order)}
          </section>
          <WhatsNext order={order} />
        </>
      )}
      {wasPaid(order) && papers(order)}
      <div className="mt-10 flex flex-wrap gap-4 print:hidden">
        <Button asChild size="large" variant={order.status === "pending" ? "secondary" : "primary"}>
          <Link to="/my-tickets">View All My Tickets</Link>
        </Button>
        <Button asChild variant="secondary" size="large">
          <Link to="/dashboard">Back to Dashboard</Link>
        </Button>
      </div>
    </>
  );
}

function Buyer({ order }: { order: Order }) {
  return (
    <Card>
      <CardTitle>Buyer Information</CardTitle>
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 max-2xs:grid-cols-[minmax(0,1fr)] [&_dd]:wrap-anywhere [&_dt]:text-ink-soft">
        <dt>Name</dt>
        <dd>{order.buyer_full_name}</dd>
        <dt>Email</dt>
        <dd>
          <EmailText>{order.buyer_email}</EmailText>
        </dd>
        <dt>Phone</dt>
        <dd>{order.buyer_phone_number}</dd>
      </dl>
    </Card>
  );
}

function OrderMissing() {
  return (
    <div className="grid items-center gap-x-12 gap-y-8 md:grid-cols-[1fr_auto]">
      <div>
        <h1 className="display text-headline text-candy">Order Not Found</h1>
        <p className="mt-4 max-w-md text-lead">We couldn&apos;t find the order you&apos;re looking for.</p>
        <Button asChild size="large" printed className="mt-7">
          <Link to="/dashboard">Go to Dashboard</Link>
        </Button>
      </div>
      <div className="w-full max-w-sm border-4 border-ink bg-candy px-6 pt-8 pb-2 md:w-[26rem]">
        <Bull className="w-full" />
      </div>
    </div>
  );
}

export function OrderConfirmationSkeleton({ label }: { label: string }) {
  return (
    <div role="status">
      <p className="font-semibold">{label}</p>
      <Skeleton className="mt-5 h-20 max-w-2xl" />
      <div className="mt-10 grid gap-6 lg:grid-cols-2">
        <Skeleton className="h-64" />
        <Skeleton className="h-64" />
      </div>
      <div className="mt-14 grid gap-6 lg:grid-cols-2">
        <Skeleton className="h-72" />
        <Skeleton className="h-72 max-lg:hidden" />
      </div>
    </div>
  );
}
