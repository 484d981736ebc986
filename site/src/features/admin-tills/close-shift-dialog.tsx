// Closes a till that its seller left open.
import { useQueryClient } from "@tanstack/react-query";
import { readTillsAgain } from "#lib/lists/till-reads.ts";
import { CountedCash } from "#ui/forms/counted-cash.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { Dialog } from "#ui/overlays/dialog.tsx";
import type { TillShift } from "./model.ts";
import { closeTill } from "./queries.ts";

export function CloseShiftDialog({ shift, onClose }: { shift: TillShift; onClose: () => void }) {
  const queryClient = useQueryClient();

  async function close(counted: number, note: string) {
    await closeTill(shift.id, counted, note);
    toast.success("Till closed", shift.seller);
    await readTillsAgain(queryClient);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Close this till"
      description={`${shift.seller}'s till. It can't be used for sales after this.`}
    >
      <CountedCash onCount={close} onCounted={onClose} onCancel={onClose} />
    </Dialog>
  );
}
