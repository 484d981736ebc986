// More of one ticket type or parking pass: so many to what there is, whatever is sold meanwhile.
import { useState } from "react";
import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { Input } from "#ui/input.tsx";
import { unassigned, type StockRow } from "./model.ts";
import { editInventory } from "./queries.ts";
import { useAct } from "./use-act.ts";

interface AddUnitsDialogProps {
  row: StockRow;
  onClose: () => void;
}

export function AddUnitsDialog({ row, onClose }: AddUnitsDialogProps) {
  const { act, busy, problem, setProblem } = useAct(`Units of ${row.name} added`, onClose);
  const [typed, setTyped] = useState("");
  const kept = unassigned(row);
  const add = () => {
    if (!/^[1-9]\d{0,6}$/.test(typed.trim())) {
      return setProblem("Type a whole number from 1 to 9,999,999.");
    }
    const units = Number(typed);
    void act(() => editInventory(row, { fields: {}, available: units, total: units }, { asSeen: false }));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="wrap-anywhere">Add units of {row.name}</span>}
      description="They are added to both available and total."
    >
      <form
        noValidate
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Field
          label="Units to add"
          error={problem}
          hint={
            kept > 0 &&
            `${count(kept, "unit")} of the total can be made available without adding any: edit Available for that.`
          }
        >
          <Input
            dense
            inputMode="numeric"
            maxLength={7}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="secondary" size="small" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" size="small" busy={busy}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
