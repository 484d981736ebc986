import { useState } from "react";
import type { Json } from "contract/database";
import type { Festival } from "contract/festival/facts";
import { formatCents } from "contract/shop/money";
import { MAX_REFUND_NOTE, refundReasons, type RefundReason } from "contract/shop/refund-reasons";
import { disputeWords } from "#lib/dispute-words.ts";
import { useFestival } from "#lib/festival/content.ts";
import { count } from "#lib/format.ts";
import { ReasonFields, type Reasoned } from "#ui/forms/reason-fields.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import type { RunPreview } from "./run-model.ts";
import { useStartRun } from "./run-queries.ts";

const usualReasons = {
  planned: "requested_by_buyer",
  moved: "event_changed",
  cancelled: "event_cancelled",
} as const satisfies Record<Festival["status"], RefundReason>;

interface StartDialogProps {
  filter: Json;
  preview: RunPreview;
  onClose: () => void;
  onStarted: (id: string) => void;
}

export function StartDialog({
  filter,
  preview: { orders, cents, disputed, inside },
  onClose,
  onStarted,
}: StartDialogProps) {
  const start = useStartRun(onStarted);
  const { status } = useFestival();
  const [why, setWhy] = useState<Reasoned<RefundReason>>({ reason: usualReasons[status], note: "" });
  // A second press, or a retry after a lost response, finds the first run.
  const [id] = useState(() => crypto.randomUUID());
  const [isNoteMissing, setNoteMissing] = useState(false);

  function submit() {
    const missing = why.reason === "other" && !why.note.trim();
    setNoteMissing(missing);
    // After a refusal the preview is refetched, so the dialog then asks with the new totals.
    if (!missing) start.mutate({ id, filter, ...why, orders, cents });
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
            hint="For your records. Buyers don't see it."
            limit={MAX_REFUND_NOTE}
            isNoteMissing={isNoteMissing}
          />
        </div>
      }
    >
      Each buyer gets an email, all their tickets stop working, and the stock goes back on sale. The run
      continues even if you close this window. You can stop it, but refunds already made can't be undone.
      {disputed > 0 && (
        <div className="mt-3">
          <WarningNote>{disputeWords(disputed, orders)}</WarningNote>
        </div>
      )}
      {inside > 0 && (
        <div className="mt-3">
          <WarningNote>
            {inside} of these guests {inside === 1 ? "was" : "were"} already checked in.
          </WarningNote>
        </div>
      )}
    </AlertDialog>
  );
}
