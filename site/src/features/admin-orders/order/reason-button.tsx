// A button for actions that need a reason, such as checking in by hand or voiding a sale. The audit log keeps the
// reason.
import { useState } from "react";
import { gateLimits } from "contract/gate";
import { Button } from "#ui/basics/button.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ReasonField } from "#ui/forms/reason-field.tsx";
import { useOrderAct, type OrderAct } from "../queries.ts";

interface ReasonButtonProps {
  orderId: string;
  label: string;
  /** The accessible name, and the dialog's heading: "Check In Ana Reyes". */
  title: string;
  /** `key` identifies the attempt, from opening the dialog to closing it. */
  act: (reason: string, key: string) => OrderAct;
  /** What it does, and that it is irreversible. */
  description?: string;
  danger?: boolean;
}

export function ReasonButton({ orderId, label, title, act, description, danger }: ReasonButtonProps) {
  const { mutate, isPending } = useOrderAct(orderId);
  const [reason, setReason] = useState<string>();
  const [missing, setMissing] = useState(false);
  const [key, setKey] = useState("");

  function submit() {
    if (!reason?.trim()) return setMissing(true);
    mutate(act(reason, key), { onSuccess: () => setReason(undefined) });
  }

  return (
    <>
      <Button
        size="small"
        className="sm:whitespace-nowrap"
        variant={danger ? "danger" : "secondary"}
        aria-label={title}
        onClick={() => {
          setReason("");
          setKey(crypto.randomUUID());
        }}
      >
        {label}
      </Button>
      {reason !== undefined && (
        <Dialog
          open
          onOpenChange={(open) => !open && setReason(undefined)}
          title={title}
          description={description}
        >
          <DialogForm submit={label} busy={isPending} onSubmit={submit} onCancel={() => setReason(undefined)}>
            <ReasonField
              value={reason}
              onChange={setReason}
              hint="Saved in the audit log."
              limit={gateLimits.undoReason}
              problem={missing && !reason.trim() ? "Enter a reason." : undefined}
            />
          </DialogForm>
        </Dialog>
      )}
    </>
  );
}
