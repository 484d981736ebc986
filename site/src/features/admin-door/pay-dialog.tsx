// Taking the money: the cash tendered and its change, or confirmation that the terminal charged the card.
import { formatCents, type Cents } from "contract/shop/money";
import { useState } from "react";
import { typedCents } from "#lib/typed-numbers.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ignoreRepeats } from "./ignore-repeats.ts";
import { likelyTenders, type Method } from "./model.ts";

interface PayDialogProps {
  method: Method;
  total: Cents;
  words: string;
  busy: boolean;
  /** With the amount tendered, for cash. */
  onPay: (tendered?: Cents) => void;
  onClose: () => void;
}

export function PayDialog({ method, total, words, busy, onPay, onClose }: PayDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={`${formatCents(total)} ${method === "cash" ? "in cash" : "by card"}`}
      description={words}
      className="max-w-md"
    >
      {method === "cash" ? (
        <CashForm total={total} busy={busy} onPay={onPay} />
      ) : (
        <div className="grid gap-4">
          <p>Charge {formatCents(total)} on the terminal. Continue once it says that the card was charged.</p>
          <Button size="large" busy={busy} onKeyDown={ignoreRepeats} onClick={() => onPay()}>
            Card Charged
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function CashForm({ total, busy, onPay }: Pick<PayDialogProps, "total" | "busy" | "onPay">) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const tendered = typedCents(typed);
  return (
    <div className="grid gap-4">
      <div role="group" aria-label="Handed over" className="grid grid-cols-2 gap-2 max-2xs:grid-cols-1">
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
          if (tendered === undefined) return setProblem("Type the amount that was handed over.");
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
          Take It
        </Button>
      </form>
    </div>
  );
}
