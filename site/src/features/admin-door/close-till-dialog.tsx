// Closing a till: what was counted, then what it should have been. Stays open with the difference until somebody has read it.
import { useQueryClient } from "@tanstack/react-query";
import { doorLimits } from "contract/door";
import { formatCents, toCents, toDollars } from "contract/money";
import { useState } from "react";
import { formatPrice } from "#lib/format.ts";
import { readTillsAgain, TILL } from "#lib/lists/till-reads.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { DialogButtons } from "#ui/overlays/dialog-buttons.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { typedCents, type Shift, type Till } from "./model.ts";
import { closeTill, type Closing } from "./queries.ts";

export function CloseTillDialog({ shift, onClose }: { shift: Shift; onClose: () => void }) {
  const [closed, setClosed] = useState<Closing>();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={closed ? "Till closed" : "Close your till"}
      description={
        closed ? differenceText(closed) : "Count the cash in the drawer, the change from the start included."
      }
      {...(closed && {
        actions: (
          <Button size="small" onClick={onClose}>
            Done
          </Button>
        ),
      })}
    >
      {closed ? (
        <Balance closed={closed} />
      ) : (
        <CountForm shiftId={shift.id} onClosed={setClosed} onCancel={onClose} />
      )}
    </Dialog>
  );
}

interface CountFormProps {
  shiftId: string;
  onClosed: (closed: Closing) => void;
  onCancel: () => void;
}

function CountForm({ shiftId, onClosed, onCancel }: CountFormProps) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const { attempt, busy, problem, setProblem } = useAttempt();

  async function close() {
    const cents = typedCents(typed);
    if (cents === undefined || toDollars(cents) > doorLimits.counted) {
      return setProblem("Type what you counted, such as 640 or 640.50.");
    }
    await attempt(async () => {
      onClosed(await closeTill(shiftId, toDollars(cents), note));
      // Known without another read.
      queryClient.setQueryData<Till>([TILL], (till) => till && { ...till, shift: null, recent: [] });
      void readTillsAgain(queryClient);
    });
  }

  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void close();
      }}
    >
      <Field label="Counted cash" required error={problem}>
        <Input inputMode="decimal" value={typed} onChange={({ target }) => setTyped(target.value)} />
      </Field>
      <Field label="Note" hint="For whoever reads the till report.">
        <Input
          dense
          maxLength={doorLimits.note}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </Field>
      <DialogButtons submit="Close the Till" busy={busy} onCancel={onCancel} />
    </form>
  );
}

function Balance({ closed: { expected, counted, difference } }: { closed: Closing }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 tabular-nums">
      <dt>Expected</dt>
      <dd>{formatPrice(expected)}</dd>
      <dt>Counted</dt>
      <dd>{formatPrice(counted)}</dd>
      <dt className="font-bold">Difference</dt>
      <dd className="font-bold">{formatPrice(difference)}</dd>
    </dl>
  );
}

function differenceText({ difference }: Closing): string {
  const cents = toCents(difference);
  if (cents === 0) return "It adds up to the cent.";
  return cents > 0
    ? `${formatCents(cents)} more than expected.`
    : `${formatCents(-cents)} less than expected.`;
}
