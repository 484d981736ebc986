// An order's payments and refunds. A stuck refund can be requested again.
import { useState } from "react";
import { formatMoment } from "#lib/format.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { formatAmount } from "contract/shop/currency";
import { toCents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import { moneyAlone, type OrderCase } from "../model.ts";
import { retryRefund, useOrderAct } from "../queries.ts";
import { isPaid } from "../refunds/refund-choice.ts";
import { VoidDialog } from "../refunds/void-dialog.tsx";

interface Movement {
  id: string;
  kind: "Payment" | "Refund";
  /** With its currency: "$45.00". */
  amount: string;
  status: string;
  note: string;
  at: string;
  /** A refund made at the provider, whose money is not assigned to a ticket yet. */
  voidable?: Refund | undefined;
}

type Refund = OrderCase["refunds"][number];

interface OrderPaymentsProps {
  order: OrderCase;
  /** Refunds that stay stuck until someone requests them again. */
  stuck: ReadonlySet<string>;
}

export function OrderPayments({ order, stuck }: OrderPaymentsProps) {
  const act = useOrderAct(order.id);
  const [retrying, setRetrying] = useState<Movement>();
  const [voiding, setVoiding] = useState<Refund>();
  return (
    <Panel title="Payments and refunds">
      <DataTable
        caption="Payments and refunds of the order"
        rows={movementsOf(order)}
        rowKey={(row) => row.id}
        empty="No payment has been made."
        columns={[
          ...columns,
          {
            key: "note",
            header: "Note",
            cell: (row) => (
              <Note
                row={row}
                busy={act.isPending}
                {...(stuck.has(row.id) && { onRetry: () => setRetrying(row) })}
                {...(row.voidable && { onVoid: () => setVoiding(row.voidable) })}
              />
            ),
          },
        ]}
      />
      <AlertDialog
        open={retrying !== undefined}
        onOpenChange={() => setRetrying(undefined)}
        title="Retry this refund?"
        confirmLabel={`Refund ${retrying?.amount ?? ""}`}
        cancelLabel="Not now"
        destructive
        onConfirm={() => retrying && act.mutate(retryRefund(retrying.id))}
      >
        The payment provider didn't refund the money the first time. If its dashboard shows that it has since,
        don't retry.
      </AlertDialog>
      {voiding && <VoidDialog {...{ order }} refund={voiding} onClose={() => setVoiding(undefined)} />}
    </Panel>
  );
}

interface NoteProps {
  row: Movement;
  busy: boolean;
  onRetry?: () => void;
  onVoid?: () => void;
}

function Note({ row, busy, onRetry, onVoid }: NoteProps) {
  return (
    <>
      <span className="text-sm wrap-anywhere">{row.note}</span>
      {onRetry && (
        <Button size="small" variant="danger" className="mt-1" disabled={busy} onClick={onRetry}>
          Retry Refund
        </Button>
      )}
      {onVoid && (
        <Button size="small" variant="secondary" className="mt-1" onClick={onVoid}>
          Void Tickets
        </Button>
      )}
    </>
  );
}

const columns: readonly Column<Movement>[] = [
  { key: "kind", header: "Kind", cell: (row) => row.kind },
  { key: "amount", header: "Amount", numeric: true, cell: (row) => row.amount },
  {
    key: "status",
    phone: "corner",
    header: "Status",
    cell: (row) => <span className="capitalize">{row.status.replaceAll("_", " ")}</span>,
  },
  {
    key: "at",
    header: "Time",
    cell: (row) => <span className="xl:whitespace-nowrap">{formatMoment(row.at)}</span>,
  },
];

/** In chronological order. */
function movementsOf(order: OrderCase): Movement[] {
  const currencies = new Map(order.payments.map((row) => [row.payment_intent_id, row.currency]));
  const amountOf = (row: { amount: number; payment_intent_id: string }) =>
    formatAmount(toCents(row.amount), currencies.get(row.payment_intent_id) ?? "usd");
  return [
    ...order.payments.map((payment) => ({
      id: payment.payment_intent_id,
      kind: "Payment" as const,
      amount: amountOf(payment),
      status: payment.status,
      note: (payment.status === "failed" && payment.failure_message) || payment.payment_intent_id,
      at: payment.created_at,
    })),
    ...order.till_payments.map((payment) => ({
      id: payment.id,
      kind: payment.kind === "sale" ? ("Payment" as const) : ("Refund" as const),
      amount: formatAmount(toCents(payment.amount), "usd"),
      status: payment.method,
      note: payment.reason ?? `${payment.till_shifts.seller_email}'s till`,
      at: payment.created_at,
    })),
    ...order.refunds.map((refund) => ({
      id: refund.id,
      kind: "Refund" as const,
      amount: amountOf(refund),
      status: refund.status,
      note: [refund.failure_message ?? refundReasonText(refund.reason), refund.refund_notes?.note]
        .filter(Boolean)
        .join(": "),
      at: refund.created_at,
      voidable: isVoidable(order, refund) ? refund : undefined,
    })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function isVoidable(order: OrderCase, refund: Refund): boolean {
  const isProviders = refund.reason === "refunded_at_provider" || refund.reason === "dispute_lost";
  return isProviders && refund.status !== "failed" && isPaid(order) && moneyAlone(refund) > 0;
}
