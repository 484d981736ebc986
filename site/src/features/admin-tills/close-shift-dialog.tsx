// Closes a till that its seller left open.
import { useQueryClient } from "@tanstack/react-query";
import { doorLimits } from "contract/door";
import { useState } from "react";
import { readTillsAgain } from "#lib/lists/till-reads.ts";
import { toast } from "#ui/overlays/toast.ts";
import { DialogButtons } from "#ui/overlays/dialog-buttons.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import type { TillShift } from "./model.ts";
import { closeTill } from "./queries.ts";

export function CloseShiftDialog({ shift, onClose }: { shift: TillShift; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [counted, setCounted] = useState("");
  const [note, setNote] = useState("");
  const { attempt, busy, problem, setProblem } = useAttempt();

  async function close() {
    if (!/^\d{1,7}(\.\d{1,2})?$/.test(counted.trim())) {
      return setProblem("Type what was counted, such as 640 or 640.50.");
    }
    await attempt(async () => {
      await closeTill(shift.id, Number(counted), note);
      toast.success("Till closed", shift.seller);
      await readTillsAgain(queryClient);
      onClose();
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Close this till"
      description={`Of ${shift.seller}. Nothing more can be sold at it.`}
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void close();
        }}
      >
        <Field label="Counted cash" required error={problem}>
          <Input
            dense
            inputMode="decimal"
            value={counted}
            onChange={({ target }) => setCounted(target.value)}
          />
        </Field>
        <Field label="Note">
          <Input
            dense
            maxLength={doorLimits.note}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        </Field>
        <DialogButtons submit="Close the Till" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
