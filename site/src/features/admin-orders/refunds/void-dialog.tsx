// For a refund made at the provider without us: which tickets it was for. They become void, and no further money moves.
import { useId, useState } from "react";
import { formatCents } from "contract/shop/money";
import { MAX_REFUND_NOTE } from "contract/shop/refund-reasons";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { Textarea } from "#ui/forms/input.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { InsideWarning } from "./inside-warning.tsx";
import { moneyAlone, type OrderCase } from "../model.ts";
import { useOrderAct, voidForRefund } from "../queries.ts";
import { entriesOf, idsOf, type Entry } from "./refund-choice.ts";

interface VoidDialogProps {
  order: OrderCase;
  refund: OrderCase["refunds"][number];
  onClose: () => void;
}

export function VoidDialog({ order, refund, onClose }: VoidDialogProps) {
  const act = useOrderAct(order.id);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [note, setNote] = useState("");
  const [tried, setTried] = useState(false);
  const missingId = useId();
  const refundable = entriesOf(order).filter((entry) => entry.refundable);
  const chosen = refundable.filter(({ id }) => picked.includes(id));
  const isMissing = tried && chosen.length === 0;

  function submit() {
    setTried(true);
    if (chosen.length === 0) return;
    act.mutate(voidForRefund(refund.id, idsOf(chosen), note), { onSuccess: onClose });
  }

  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="What was this refund for?"
      confirmLabel="Void"
      cancelLabel="Not now"
      destructive
      busy={act.isPending}
      onConfirm={submit}
      fields={
        <div className="mt-5 grid gap-4">
          <fieldset
            aria-invalid={isMissing || undefined}
            aria-describedby={isMissing ? missingId : undefined}
          >
            <legend className="font-semibold">Tickets and parking</legend>
            {refundable.map((entry) => (
              <Choice
                key={entry.id}
                entry={entry}
                checked={picked.includes(entry.id)}
                onPick={(on) =>
                  setPicked(on ? [...picked, entry.id] : picked.filter((id) => id !== entry.id))
                }
              />
            ))}
            {isMissing && <FieldError id={missingId}>Choose at least one.</FieldError>}
          </fieldset>
          <Field label="Note" limit={MAX_REFUND_NOTE} hint="For your records. The buyer doesn't see it.">
            <Textarea rows={2} value={note} onChange={({ target }) => setNote(target.value)} />
          </Field>
        </div>
      }
    >
      The provider refunded {formatCents(moneyAlone(refund))} outside this shop. The tickets you choose stop
      working and go back on sale. No more money is refunded.
      <InsideWarning entries={chosen} />
    </AlertDialog>
  );
}

interface ChoiceProps {
  entry: Entry;
  checked: boolean;
  onPick: (on: boolean) => void;
}

function Choice({ entry: { name, attendee, cents }, checked, onPick }: ChoiceProps) {
  return (
    <label className="flex min-h-11 items-center gap-3 border-b border-ink/12 py-1.5">
      <input
        type="checkbox"
        className="size-5 shrink-0 accent-slab"
        checked={checked}
        onChange={({ target }) => onPick(target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">
        {attendee ? `${attendee.name}, ` : ""}
        {name}
      </span>
      <span className="ml-auto tabular-nums">{formatCents(cents)}</span>
    </label>
  );
}
