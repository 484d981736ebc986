// The sale of one ticket type or parking pass: switch, window, and whether it is listed.
import { useState } from "react";
import { isolated } from "#lib/format.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { DialogButtons } from "#ui/overlays/dialog-buttons.tsx";
import type { StockRow } from "./model.ts";
import { editInventory } from "./queries.ts";
import { useAct } from "./use-act.ts";
import { CLOSES, windowDraft, WindowFields, windowOf } from "./window-fields.tsx";

interface SaleDialogProps {
  row: StockRow;
  onClose: () => void;
}

export function SaleDialog({ row, onClose }: SaleDialogProps) {
  const { act, busy, problem, column } = useAct(`Sale settings for ${isolated(row.name)} saved`, onClose);
  const [onSale, setOnSale] = useState(row.on_sale);
  const [hidden, setHidden] = useState(row.is_hidden);
  const [draft, setDraft] = useState(() => windowDraft(row));
  const typed = JSON.stringify([onSale, hidden, draft]);
  const [before] = useState(typed);
  const save = () =>
    act(async () => {
      const fields = { ...windowOf(draft, row), on_sale: onSale, is_hidden: hidden };
      const { outcome } = await editInventory(row, { fields, available: 0, total: 0 }, { asSeen: true });
      if (outcome === "conflict") {
        throw new Error(
          "Someone else changed this. Close this dialog and reopen it to see the current values.",
        );
      }
    });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      unsaved={typed !== before}
      title={<span className="wrap-anywhere">Sale settings for {isolated(row.name)}</span>}
      description="Units returned by expired holds and refunds don't reopen a stopped sale."
    >
      <form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Checkbox label="On sale" checked={onSale} onChange={(event) => setOnSale(event.target.checked)} />
        <WindowFields
          draft={draft}
          onChange={(change) => setDraft({ ...draft, ...change })}
          error={column === CLOSES ? problem : undefined}
        />
        <Checkbox
          label={
            <>
              Hidden
              <span className="block text-sm text-ink-soft">
                Not listed or sold on the tickets page. Tickets already sold stay valid.
              </span>
            </>
          }
          checked={hidden}
          onChange={(event) => setHidden(event.target.checked)}
        />
        {problem && column !== CLOSES && <FieldError>{problem}</FieldError>}
        <DialogButtons submit="Save" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
