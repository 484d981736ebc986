// What administrators and finance can do to a whole order. Only administrators can cancel an unpaid one. A dialog asks before anything
// irreversible.
import { useEffect, useState } from "react";
import { formatPrice } from "#lib/format.ts";
import { useSession } from "#lib/session/session.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Button } from "#ui/basics/button.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { formatCents } from "contract/shop/money";
import { AmountDialog } from "../refunds/amount-dialog.tsx";
import { freeToRefund, type OrderCase } from "../model.ts";
import { InsideWarning } from "../refunds/inside-warning.tsx";
import { entriesOf, insideText, isPaid, refundOf, verbOf } from "../refunds/refund-choice.ts";
import {
  acknowledge,
  cancelOrder,
  refund,
  resendMail,
  revokeComp,
  useOrderAct,
  voidSale,
} from "../queries.ts";
import { ReasonButton } from "./reason-button.tsx";
import { RefundDialog, type Why } from "../refunds/refund-dialog.tsx";

interface OrderActionsProps {
  order: OrderCase;
  /** In cents: what failed refunds owe the buyer. */
  owed: number;
}

export function OrderActions({ order, owed }: OrderActionsProps) {
  const act = useOrderAct(order.id);
  const { role } = useSession();
  const [asking, setAsking] = useState<"refund" | "amount" | "cancel">();
  const close = () => setAsking(undefined);
  const { cents } = refundOf(order, entriesOf(order));
  const offered = {
    refund: isPaid(order) && order.channel === "online",
    cancel: order.status === "pending" && role === "admin",
  };
  // Somebody else was faster: what the dialog asks is no longer true. The one for an amount says by itself what is left.
  const isLate = asking !== undefined && asking !== "amount" && !offered[asking] && !act.isPending;
  useEffect(() => {
    if (!isLate) return;
    setAsking(undefined);
    toast.show("The order just changed", "It was refunded, canceled or paid in the meantime.");
  }, [isLate]);
  return (
    <>
      {isPaid(order) && order.buyer_email !== "" && <ResendMail key={order.buyer_email} orderId={order.id} />}
      {role === "admin" && order.cancel_reason === "unfulfillable" && <Acknowledge {...{ order, owed }} />}
      {isPaid(order) && role === "admin" && <TakeBack order={order} />}
      {isPaid(order) && freeToRefund(order) > 0 && (
        <Button size="small" variant="secondary" disabled={act.isPending} onClick={() => setAsking("amount")}>
          Refund Amount
        </Button>
      )}
      {offered.refund && (
        <Button size="small" variant="danger" disabled={act.isPending} onClick={() => setAsking("refund")}>
          {verbOf(cents)} Order
        </Button>
      )}
      {offered.cancel && (
        <Button size="small" variant="danger" disabled={act.isPending} onClick={() => setAsking("cancel")}>
          Cancel Order
        </Button>
      )}
      {asking === "amount" && <AmountDialog order={order} onClose={close} />}
      {asking === "refund" && offered.refund && (
        <WholeRefund
          {...{ order, cents }}
          busy={act.isPending}
          onClose={close}
          onConfirm={(why, key) => act.mutate(refund(key, why, cents), { onSuccess: close })}
        />
      )}
      <AlertDialog
        open={asking === "cancel" && offered.cancel}
        onOpenChange={close}
        title="Cancel this order?"
        confirmLabel="Cancel the order"
        cancelLabel="Keep the order"
        destructive
        onConfirm={() => act.mutate(cancelOrder)}
      >
        It hasn't been paid. The tickets it holds go back on sale right away.
      </AlertDialog>
    </>
  );
}

/** For a paid order that could not be fulfilled, once its buyer has been helped; and back. */
function Acknowledge({ order, owed }: OrderActionsProps) {
  const { mutate, isPending } = useOrderAct(order.id);
  const [asking, setAsking] = useState(false);
  const isOpen = order.acknowledged_at === null;
  return (
    <>
      <Button
        size="small"
        variant="secondary"
        busy={isPending}
        onClick={() => (isOpen && owed > 0 ? setAsking(true) : mutate(acknowledge(isOpen, 0)))}
      >
        {isOpen ? "Mark as Handled" : "Mark as Not Handled"}
      </Button>
      <AlertDialog
        open={asking && isOpen}
        onOpenChange={setAsking}
        title="Mark as handled?"
        confirmLabel="Mark as Handled"
        cancelLabel="Not yet"
        destructive
        onConfirm={() => mutate(acknowledge(true, owed))}
      >
        The buyer is still owed {formatCents(owed)}: the refund failed. Retry it under Payments and refunds,
        or return the money another way first.
      </AlertDialog>
    </>
  );
}

/** SQL mails one address once a minute. */
const MAIL_EVERY_MS = 60_000;

function ResendMail({ orderId }: { orderId: string }) {
  const { mutate, isPending, isSuccess: isSent, reset } = useOrderAct(orderId);
  useEffect(() => {
    if (!isSent) return undefined;
    const timer = setTimeout(reset, MAIL_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isSent, reset]);
  return (
    <Button
      size="small"
      variant="secondary"
      busy={isPending}
      aria-disabled={isPending || isSent || undefined}
      onClick={() => !isSent && mutate(resendMail)}
    >
      {isSent ? "Emails Resent" : "Resend Emails"}
    </Button>
  );
}

interface WholeRefundProps {
  order: OrderCase;
  cents: number;
  busy: boolean;
  onClose: () => void;
  onConfirm: (why: Why, key: string) => void;
}

function WholeRefund({ order, cents, ...asked }: WholeRefundProps) {
  return (
    <RefundDialog
      order={order}
      title={`${verbOf(cents)} the whole order?`}
      confirmLabel={cents > 0 ? `Refund ${formatCents(cents)}` : "Cancel the order"}
      cancelLabel="Keep the order"
      {...asked}
    >
      {cents > 0
        ? "The buyer gets back everything not yet refunded, all tickets stop working,"
        : "All tickets stop working, nothing is refunded,"}{" "}
      and their stock and parking go back on sale. This cannot be undone.
      <InsideWarning entries={entriesOf(order)} />
    </RefundDialog>
  );
}

/** An order that was not paid online is refunded another way. */
function TakeBack({ order }: { order: OrderCase }) {
  const { id, channel, till_payments: till } = order;
  const inside = insideText(entriesOf(order));
  const sale = till.find(({ kind }) => kind === "sale");
  if (channel === "door" && sale) {
    const amount = formatPrice(sale.amount);
    const refund =
      sale.method === "cash"
        ? `Hand back ${amount} from the till.`
        : `Refund ${amount} on the card terminal.`;
    return (
      <ReasonButton
        orderId={id}
        danger
        label="Void Sale"
        title="Void door sale"
        description={`${refund} The codes stop working, and the tickets go back on sale. This cannot be undone. ${inside}`}
        act={voidSale(refund)}
      />
    );
  }
  if (channel !== "comp") return null;
  return (
    <ReasonButton
      orderId={id}
      danger
      label="Revoke Comp"
      title="Revoke comp"
      description={`The code stops working, the guest gets an email, and the ticket goes back on sale. This cannot be undone. ${inside}`}
      act={revokeComp}
    />
  );
}
