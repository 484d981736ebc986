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
    if (!reason.trim()) return setProblem("Enter a reason.");
    await attempt(async () => {
      await revokeComp(comp.id, reason);
      toast.success("Comp revoked", `We'll email ${comp.name}.`);
      await readAgain();
    }, onClose);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="wrap-anywhere">Revoke {isolated(comp.name)}'s comp?</span>}
      description={`The code stops working, the guest gets an email, and the ticket goes back on sale. This cannot be undone.${comp.state === "in" ? " This guest is already inside." : ""}`}
    >
      <DialogForm submit="Revoke" busy={busy} onSubmit={() => void revoke()} onCancel={onClose}>
        <ReasonField
          value={reason}
          onChange={(text) => {
            setReason(text);
            setProblem(undefined);
          }}
          hint="Saved in the audit log. The guest doesn't see it."
          limit={doorLimits.reason}
          problem={problem}
        />
      </DialogForm>
    </Dialog>
  );
}
