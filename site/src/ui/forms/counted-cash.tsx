// The counted amount when a till closes, entered by its seller or by office staff.
import { doorLimits } from "contract/door";
import { toDollars } from "contract/shop/money";
import { useState } from "react";
import { typedCents } from "#lib/typed-numbers.ts";
import { DialogForm } from "../overlays/dialog-form.tsx";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";
import { useAttempt } from "./use-attempt.ts";

interface CountedCashProps {
  noteHint?: string;
  /** Receives the counted dollars. If it throws, the message is shown and what was typed stays. */
  onCount: (dollars: number, note: string) => Promise<void>;
  onCounted?: () => void;
  onCancel: () => void;
}

export function CountedCash({ noteHint, onCount, onCounted, onCancel }: CountedCashProps) {
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const { attempt, busy, problem, setProblem } = useAttempt();

  async function count() {
    const cents = typedCents(typed);
    if (cents === undefined || toDollars(cents) > doorLimits.counted) {
      return setProblem("Enter the counted cash, such as 640 or 640.50.");
    }
    await attempt(() => onCount(toDollars(cents), note), onCounted);
  }

  return (
    <DialogForm submit="Close the Till" busy={busy} onSubmit={() => void count()} onCancel={onCancel}>
      <Field label="Counted cash" required error={problem}>
        <Input
          inputMode="decimal"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setProblem(undefined);
          }}
        />
      </Field>
      <Field label="Note" limit={doorLimits.note} hint={noteHint}>
        <Input dense value={note} onChange={({ target }) => setNote(target.value)} />
      </Field>
    </DialogForm>
  );
}
