import { useState } from "react";
import type { Json } from "contract/database";
import { formatCents } from "contract/money";
import { MAX_REFUND_NOTE, refundReasons, type RefundReason } from "contract/refund-reasons";
import { count } from "#lib/format.ts";
import { ReasonFields, type Reasoned } from "#ui/forms/reason-fields.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import type { RunPreview } from "./run-model.ts";
import { useStartRun } from "./run-queries.ts";

interface StartDialogProps {
  filter: Json;
  preview: RunPreview;
  onClose: () => void;
  onStarted: (id: string) => void;
}

export function StartDialog({ filter, preview: { orders, cents }, onClose, onStarted }: StartDialogProps) {
  const start = useStartRun(onStarted);
  const [why, setWhy] = useState<Reasoned<RefundReason>>({ reason: "event_cancelled", note: "" });
  // A second press, or one after a lost answer, finds the first run.
  const [id] = useState(() => crypto.randomUUID());
  const [isNoteMissing, setNoteMissing] = useState(false);

  function submit() {
    const missing = why.reason === "other" && !why.note.trim();
    setNoteMissing(missing);
    // Whatever SQL refuses is about a choice that has changed: it is shown anew behind the dialog.
    if (!missing) start.mutate({ id, filter, ...why, orders, cents }, { onError: onClose });
  }

  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Refund ${count(orders, "order")}?`}
      confirmLabel={`Refund ${formatCents(cents)}`}
      cancelLabel="Not now"
      destructive
      busy={start.isPending}
      onConfirm={submit}
      fields={
        <div className="mt-5 grid gap-4">
          <ReasonFields
            reasons={refundReasons}
            value={why}
            onChange={setWhy}
            hint="For your own books: the buyers do not see it."
            maxLength={MAX_REFUND_NOTE}
            isNoteMissing={isNoteMissing}
          />
        </div>
      }
    >
      Each buyer is mailed, all their tickets stop working, and the stock is for sale again. The run goes on
      by itself, whatever becomes of this window; you can stop it, but what was refunded by then stays
      refunded.
    </AlertDialog>
  );
}
