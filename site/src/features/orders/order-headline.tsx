// What is true of an order now. The words of the moment after paying last a day.
import { Check, Hourglass } from "lucide-react";
import { formatCents } from "contract/shop/money";
import { formatClock, formatMoment } from "#lib/format.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import {
  cancelText,
  isJustPaid,
  isPaid,
  isPayable,
  type Order,
  owedCents,
  owedText,
  refundedCents,
} from "./model.ts";

interface OrderHeadlineProps {
  order: Order;
  onContinuePayment: (order: Order) => void;
}

export function OrderHeadline({ order, onContinuePayment }: OrderHeadlineProps) {
  if (isJustPaid(order, serverNow())) return <JustPaid order={order} />;
  if (isPaid(order)) return <Paid order={order} />;
  if (order.status === "pending") return <Unpaid {...{ order, onContinuePayment }} />;
  return (
    <PageHeader
      title={
        order.cancel_reason === "refunded" && owedCents(order) === 0 ? "Order Refunded" : "Order Canceled"
      }
    >
      {cancelText(order)}
    </PageHeader>
  );
}

function JustPaid({ order }: { order: Order }) {
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
          {order.total_amount > 0 ? "Payment Confirmed!" : "Order Confirmed!"}
        </span>
      }
    >
      Thank you, <bdi className="wrap-anywhere">{order.buyer_full_name}</bdi>. Your tickets and receipt are on
      their way to{" "}
      <span className="inline-block max-w-full">
        <EmailText>{order.buyer_email}</EmailText>.
      </span>
      <Refunded order={order} />
    </PageHeader>
  );
}

function Paid({ order }: { order: Order }) {
  return (
    <PageHeader title="Your Order">
      Confirmed on {formatMoment(order.confirmed_at)}.
      {order.status === "completed" && " Every ticket has been scanned at the gate."}
      <Refunded order={order} />
    </PageHeader>
  );
}

function Refunded({ order }: { order: Order }) {
  const cents = refundedCents(order);
  const owed = owedText(order);
  if (cents === 0 && !owed) return null;
  return [
    "",
    cents > 0 && `${formatCents(cents)} has been refunded.`,
    owed,
    order.status === "confirmed" && "Your remaining tickets are still valid.",
  ]
    .filter((part) => part !== false)
    .join(" ");
}

function Unpaid({ order, onContinuePayment }: OrderHeadlineProps) {
  const isHeld = isPayable(order, serverNow());
  return (
    <PageHeader
      title={
        <span className="flex items-center gap-4">
          <Hourglass aria-hidden="true" className="size-[0.85em] shrink-0 text-candy" strokeWidth={2.5} />
          Waiting for Payment
        </span>
      }
      actions={isHeld && <Button onClick={() => onContinuePayment(order)}>Continue Payment</Button>}
    >
      {isHeld
        ? `We're holding your tickets until ${formatClock(Date.parse(order.hold_expires_at ?? ""))}.`
        : "We haven't received your payment yet."}{" "}
      This page updates on its own, and your tickets appear as soon as the payment arrives.
    </PageHeader>
  );
}
