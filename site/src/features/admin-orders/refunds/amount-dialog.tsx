// Refunds a free amount to the buyer. Every ticket stays valid.
import { useState } from "react";
import { formatCents } from "contract/shop/money";
import { typedCents } from "#lib/typed-numbers.ts";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { freeToRefund, type OrderCase } from "../model.ts";
import { refundAmount, useOrderAct } from "../queries.ts";
import { RefundDialog } from "./refund-dialog.tsx";

interface AmountDialogProps {
  order: OrderCase;
  onClose: () => void;
}

export function AmountDialog({ order, onClose }: AmountDialogProps) {
  const act = useOrderAct(order.id);
  const [amount, setAmount] = useState("");
  const [tried, setTried] = useState(false);
  const most = freeToRefund(order);
  const cents = typedCents(amount);

  const isTooMuch = cents !== undefined && cents > most;
  const wrong =
    cents === undefined || cents < 1
      ? "Enter an amount, such as 10 or 12.50."
      : isTooMuch
        ? `Only ${formatCents(most)} of this payment is left.`
        : undefined;

  return (
    <RefundDialog
      order={order}
      title="Refund an amount?"
      confirmLabel={cents === undefined || wrong ? "Refund" : `Refund ${formatCents(cents)}`}
      cancelLabel="Not now"
      usual="goodwill"
      busy={act.isPending}
      problem={() => {
        setTried(true);
        return wrong;
      }}
      onClose={onClose}
      onConfirm={(why, key) => act.mutate(refundAmount(key, cents!, most, why), { onSuccess: onClose })}
      fields={
        <Field
          label="Amount in dollars"
          required
          error={tried || isTooMuch ? wrong : undefined}
          hint={`Up to ${formatCents(most)}.`}
        >
          <Input
            dense
            inputMode="decimal"
            autoComplete="off"
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
          />
        </Field>
      }
    >
      The buyer gets this amount back, and all tickets stay valid. To refund tickets, choose them in the list
      instead.
    </RefundDialog>
  );
}
