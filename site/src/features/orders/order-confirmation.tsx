// One order after payment: confirmed, still being confirmed, cancelled, or missing.
import { Check, Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatMoment, shortId } from "#lib/format.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Bull } from "#ui/art/bull.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { cancelText, isPaid, type Order, wasPaid } from "./model.ts";
import { OrderItems } from "./order-items.tsx";
import { OrderStatusBadge } from "./order-status-badge.tsx";
import { useOrder } from "./queries.ts";
import { WhatsNext } from "./whats-next.tsx";

interface OrderConfirmationProps {
  userId: string;
  orderId: string;
  /** The tickets of the order, once it is paid. */
  tickets: (order: Order) => ReactNode;
  /** The documents its buyer may keep, once it was paid. */
  papers: (order: Order) => ReactNode;
}

export function OrderConfirmation({ userId, orderId, tickets, papers }: OrderConfirmationProps) {
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
      <Headline order={order} />
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
        </Card>
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
      </div>
      {isPaid(order) && (
        <>
          <section aria-labelledby="tickets-title" className="mt-14">
            <h2 id="tickets-title" className="display mb-6 text-title">
              Your Tickets
            </h2>
            {tickets(order)}
          </section>
          <WhatsNext />
        </>
      )}
      {wasPaid(order) && papers(order)}
      <div className="mt-10 flex flex-wrap gap-4 print:hidden">
        <Button asChild size="large">
          <Link to="/my-tickets">View All My Tickets</Link>
        </Button>
        <Button asChild variant="secondary" size="large">
          <Link to="/dashboard">Back to Dashboard</Link>
        </Button>
      </div>
    </>
  );
}

function Headline({ order }: { order: Order }) {
  if (isPaid(order)) {
    return (
      <PageHeader
        title={
          <span className="flex items-center gap-4">
            <span
              aria-hidden="true"
              className="grid size-[1em] shrink-0 place-items-center bg-bayou text-white"
            >
              <Check className="size-[0.75em]" strokeWidth={4} />
            </span>
            Payment Confirmed!
          </span>
        }
      >
        Thank you, <bdi className="wrap-anywhere">{order.buyer_full_name}</bdi>. A copy is on its way to{" "}
        <span className="inline-block max-w-full">
          <EmailText>{order.buyer_email}</EmailText>.
        </span>
      </PageHeader>
    );
  }
  if (order.status === "pending") {
    return (
      <PageHeader
        title={
          <span className="flex items-center gap-4">
            <Hourglass aria-hidden="true" className="size-[0.85em] shrink-0 text-candy" strokeWidth={2.5} />
            Waiting for Payment
          </span>
        }
      >
        We haven't received your payment yet. This page checks again by itself; your tickets appear once it
        arrives.
      </PageHeader>
    );
  }
  return <PageHeader title="Order Cancelled">{cancelText(order)}</PageHeader>;
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
