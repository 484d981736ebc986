// Asks before money is refunded: a reason, and optionally a note. The reasons are the contract's, and SQL refuses any
// other.
import { useState, type ReactNode } from "react";
import { MAX_REFUND_NOTE, refundReasons, type RefundReason } from "contract/shop/refund-reasons";
import { disputeWords } from "#lib/dispute-words.ts";
import { ReasonFields, type Reasoned } from "#ui/forms/reason-fields.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { isDisputed, type OrderCase } from "../model.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";

export type Why = Reasoned<RefundReason>;

interface RefundDialogProps {
  order: OrderCase;
  title: string;
  /** What the refund changes. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  /** The preselected reason. */
  usual?: RefundReason;
  busy: boolean;
  /** Fields before the reason. */
  fields?: ReactNode;
  /** Validates those fields when the form is submitted. */
  problem?: () => string | undefined;
  onClose: () => void;
  /** `key` identifies the attempt: pressed twice, or again after a lost response, the dialog refunds once. */
  onConfirm: (why: Why, key: string) => void;
}

export function RefundDialog({
  order,
  title,
  children,
  confirmLabel,
  cancelLabel,
  usual = "requested_by_buyer",
  busy,
  fields,
  problem,
  onClose,
  onConfirm,
}: RefundDialogProps) {
  const [why, setWhy] = useState<Why>({ reason: usual, note: "" });
  const [key] = useState(() => crypto.randomUUID());
  const [isNoteMissing, setNoteMissing] = useState(false);

  function submit() {
    const missing = why.reason === "other" && !why.note.trim();
    setNoteMissing(missing);
    if (problem?.() === undefined && !missing) onConfirm(why, key);
  }

  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      destructive
      {...{ title, confirmLabel, cancelLabel, busy }}
      onConfirm={submit}
      fields={
        <div className="mt-5 grid gap-4">
          {fields}
          <ReasonFields
            reasons={refundReasons}
            value={why}
            onChange={setWhy}
            hint="For your records. The buyer doesn't see it."
            limit={MAX_REFUND_NOTE}
            isNoteMissing={isNoteMissing && why.reason === "other" && !why.note.trim()}
          />
        </div>
      }
    >
      {children}
      {isDisputed(order) && (
        <div className="mt-3">
          <WarningNote>{disputeWords(1, 1)}</WarningNote>
        </div>
      )}
    </AlertDialog>
  );
}
