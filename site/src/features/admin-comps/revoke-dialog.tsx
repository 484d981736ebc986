import { doorLimits } from "contract/door";
import { useState } from "react";
import { isolated } from "#lib/format.ts";
import { toast } from "#ui/overlays/toast.ts";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ReasonField } from "#ui/forms/reason-field.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import type { Comp } from "./model.ts";
import { revokeComp, useReadAgain } from "./queries.ts";

export function RevokeDialog({ comp, onClose }: { comp: Comp; onClose: () => void }) {
  const readAgain = useReadAgain();
  const [reason, setReason] = useState("");
  const { attempt, busy, problem, setProblem } = useAttempt();

  async function revoke() {
    if (!reason.trim()) return setProblem("Say why.");
    await attempt(async () => {
      await revokeComp(comp.id, reason);
      toast.success("Comp revoked", `${comp.name} has been told by mail.`);
      await readAgain();
    }, onClose);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="wrap-anywhere">Revoke the comp of {isolated(comp.name)}?</span>}
      description={`The code stops working, the guest is told by mail, and the ticket is for sale again. This cannot be undone.${comp.state === "in" ? " This guest is already inside." : ""}`}
    >
      <DialogForm submit="Revoke" busy={busy} onSubmit={() => void revoke()} onCancel={onClose}>
        <ReasonField
          value={reason}
          onChange={(text) => {
            setReason(text);
            setProblem(undefined);
          }}
          hint="Goes into the audit log, not to the guest."
          maxLength={doorLimits.reason}
          problem={problem}
        />
      </DialogForm>
    </Dialog>
  );
}
