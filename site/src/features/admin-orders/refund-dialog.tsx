// Asks before money goes back: why, and on request a note. The reasons are the contract's, and SQL refuses any other.
import { useState, type ReactNode } from "react";
import { MAX_REFUND_NOTE, refundReasons, type RefundReason } from "contract/refund-reasons";
import { Field } from "#ui/forms/field.tsx";
import { Select, Textarea } from "#ui/forms/input.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";

export interface Why {
  reason: RefundReason;
  note: string;
}

interface RefundDialogProps {
  title: string;
  /** What it changes. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  /** The reason that is chosen first. */
  usual?: RefundReason;
  busy: boolean;
  /** Fields before the reason. */
  fields?: ReactNode;
  /** What is wrong with them; asked when the form is sent. */
  problem?: () => string | undefined;
  onClose: () => void;
  onConfirm: (why: Why) => void;
}

export function RefundDialog({
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
  const [isNoteMissing, setNoteMissing] = useState(false);

  function submit() {
    const missing = why.reason === "other" && !why.note.trim();
    setNoteMissing(missing);
    if (problem?.() === undefined && !missing) onConfirm(why);
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
          <WhyFields why={why} onChange={setWhy} isNoteMissing={isNoteMissing} />
        </div>
      }
    >
      {children}
    </AlertDialog>
  );
}

interface WhyFieldsProps {
  why: Why;
  onChange: (why: Why) => void;
  isNoteMissing: boolean;
}

function WhyFields({ why, onChange, isNoteMissing }: WhyFieldsProps) {
  return (
    <>
      <Field label="Reason" required>
        <Select
          dense
          value={why.reason}
          onChange={({ target }) => onChange({ ...why, reason: target.value as RefundReason })}
        >
          {Object.entries(refundReasons).map(([reason, words]) => (
            <option key={reason} value={reason}>
              {words}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Note"
        required={why.reason === "other"}
        hint="For your own books: the buyer does not see it."
        error={isNoteMissing ? "Say what the reason is." : undefined}
      >
        <Textarea
          rows={2}
          maxLength={MAX_REFUND_NOTE}
          value={why.note}
          onChange={({ target }) => onChange({ ...why, note: target.value })}
        />
      </Field>
    </>
  );
}
