// Refunds a free amount to the buyer. Every ticket stays valid.
import { useState } from "react";
import { formatCents } from "contract/money";
import { typedCents } from "#lib/typed-cents.ts";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { freeToRefund, type OrderCase } from "./model.ts";
import { refundAmount, useOrderAct } from "./queries.ts";
import { RefundDialog } from "./refund-dialog.tsx";

interface AmountDialogProps {
  order: OrderCase;
  onClose: () => void;
}

export function AmountDialog({ order, onClose }: AmountDialogProps) {
  const act = useOrderAct(order.id);
  const [amount, setAmount] = useState("");
  const [problem, setProblem] = useState<string>();
  const most = freeToRefund(order);
  const cents = typedCents(amount);

  function check(): string | undefined {
    const found =
      cents === undefined || cents < 1
        ? "Enter an amount, such as 10 or 12.50."
        : cents > most
          ? `At most ${formatCents(most)} of this payment is left.`
          : undefined;
    setProblem(found);
    return found;
  }

  return (
    <RefundDialog
      title="Refund an amount?"
      confirmLabel={cents ? `Refund ${formatCents(cents)}` : "Refund"}
      cancelLabel="Not now"
      usual="goodwill"
      busy={act.isPending}
      problem={check}
      onClose={onClose}
      onConfirm={(why, key) => act.mutate(refundAmount(key, cents!, most, why), { onSuccess: onClose })}
      fields={
        <Field label="Amount in dollars" required error={problem} hint={`At most ${formatCents(most)}.`}>
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
      The buyer gets this much back, and all tickets stay valid. Refund tickets by choosing them in the list
      instead.
    </RefundDialog>
  );
}
