// Taking the money: the cash tendered and its change, or confirmation that the terminal charged the card.
import { formatCents, type Cents } from "contract/shop/money";
import { useState } from "react";
import { typedCents } from "#lib/typed-numbers.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { ignoreRepeats } from "./ignore-repeats.ts";
import { likelyTenders, type Attempt } from "./model.ts";

interface PayDialogProps {
  attempt: Attempt;
  /** Less is left, or a price has changed, since the dialog opened. */
  isOutdated: boolean;
  busy: boolean;
  /** With the amount tendered, for cash. */
  onPay: (tendered?: Cents) => void;
  onClose: () => void;
}

export function PayDialog({ attempt, isOutdated, busy, onPay, onClose }: PayDialogProps) {
  const { method, cents: total, words } = attempt;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={`${formatCents(total)} ${method === "cash" ? "in cash" : "by card"}`}
      description={words}
      className="max-w-md"
    >
      {isOutdated && !busy && (
        <WarningNote>
          The stock or a price has changed. Close this and check the sale before you take payment.
        </WarningNote>
      )}
      {method === "cash" ? (
        <CashForm total={total} busy={busy} onPay={onPay} />
      ) : (
        <div className="grid gap-4">
          <p>Charge {formatCents(total)} on the terminal. Continue once it shows the payment was approved.</p>
          <Button size="large" busy={busy} onKeyDown={ignoreRepeats} onClick={() => onPay()}>
            Card Charged
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface CashFormProps extends Pick<PayDialogProps, "busy" | "onPay"> {
  total: Cents;
}

function CashForm({ total, busy, onPay }: CashFormProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const tendered = typedCents(typed);
  return (
    <div className="grid gap-4">
      <div role="group" aria-label="Cash received" className="grid grid-cols-2 gap-2 max-2xs:grid-cols-1">
        {likelyTenders(total).map((cents) => (
          <Button
            key={cents}
            size="large"
            variant={cents === total ? "primary" : "dark"}
            className="px-2!"
            disabled={busy}
            onKeyDown={ignoreRepeats}
            onClick={() => onPay(cents)}
          >
            {cents === total ? "Exact" : formatCents(cents)}
          </Button>
        ))}
      </div>
      <form
        noValidate
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (tendered === undefined) return setProblem("Enter the cash received.");
          if (tendered < total) return setProblem(`${formatCents(total - tendered)} short.`);
          onPay(tendered);
        }}
      >
        <Field
          label="Another amount"
          error={problem}
          hint={tendered !== undefined && tendered >= total && `Change: ${formatCents(tendered - total)}`}
        >
          <Input
            inputMode="decimal"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setProblem(undefined);
            }}
          />
        </Field>
        <Button type="submit" variant="secondary" busy={busy}>
          Take Cash
        </Button>
      </form>
    </div>
  );
}
