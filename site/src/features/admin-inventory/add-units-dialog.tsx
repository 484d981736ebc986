// Adds units to one ticket type or parking pass, even while it is being sold.
import { useState } from "react";
import { count, isolated } from "#lib/format.ts";
import { typedUnits } from "#lib/typed-numbers.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { STILL_OPEN } from "#ui/forms/use-attempt.ts";
import { useTypedText } from "#ui/forms/use-typed-text.ts";
import { MOST_UNITS, unassigned, type StockRow } from "./model.ts";
import { editInventory } from "./queries.ts";
import { useAct } from "./use-act.ts";

interface AddUnitsDialogProps {
  row: StockRow;
  onClose: () => void;
}

export function AddUnitsDialog({ row, onClose }: AddUnitsDialogProps) {
  const { act, busy, problem, setProblem } = useAct(`Units added to ${isolated(row.name)}`, onClose);
  const { typed, control } = useTypedText({ units: "" }, () => setProblem(undefined));
  const [question, setQuestion] = useState<string>();
  const kept = unassigned(row);
  const add = (sure: boolean) => {
    const units = typedUnits(typed.units);
    if (!(units >= 1 && units <= MOST_UNITS)) {
      return setProblem(`Enter a whole number from 1 to ${MOST_UNITS.toLocaleString("en-US")}.`);
    }
    void act(async () => {
      const changes = { fields: {}, available: units, total: units };
      const answer = await editInventory(row, changes, { asSeen: false, sure });
      if (answer.outcome === "asks") {
        setQuestion(answer.question);
        return STILL_OPEN;
      }
    });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="wrap-anywhere">Add units to {isolated(row.name)}</span>}
      description="Added to both Available and Total."
    >
      <DialogForm submit="Add" busy={busy} onSubmit={() => add(false)} onCancel={onClose}>
        <Field
          label="Units to add"
          error={problem}
          hint={
            kept > 0 &&
            `${count(kept, "unit")} of the total can go on sale without adding any: edit Available instead.`
          }
        >
          <Input dense inputMode="numeric" {...control("units")} />
        </Field>
      </DialogForm>
      <AlertDialog
        open={question !== undefined}
        onOpenChange={(open) => !open && setQuestion(undefined)}
        title="Add that many?"
        confirmLabel={`Add ${count(typedUnits(typed.units), "unit")}`}
        cancelLabel="Keep editing"
        onConfirm={() => add(true)}
      >
        {question}
      </AlertDialog>
    </Dialog>
  );
}
