import { useState, type FormEvent } from "react";
import { gateLimits } from "contract/gate";
import { Sheet } from "./sheet.tsx";

const reasons = ["Scanned by mistake", "Did not go in", "Wrong person"] as const;

/** Takes an admission back. The reason goes into the audit log. */
export function UndoSheet({ onClose, onUndo }: { onClose: () => void; onUndo: (reason: string) => void }) {
  const [own, setOwn] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    if (own.trim()) onUndo(own.trim());
  }
  return (
    <Sheet title="Undo: why?" onClose={onClose}>
      <div className="gate-stack">
        {reasons.map((reason) => (
          <button key={reason} type="button" className="gate-button" onClick={() => onUndo(reason)}>
            {reason}
          </button>
        ))}
      </div>
      <form className="gate-stack" onSubmit={submit}>
        <label className="gate-field">
          Another reason
          <input
            value={own}
            maxLength={gateLimits.undoReason}
            onChange={(event) => setOwn(event.target.value)}
            autoComplete="off"
          />
        </label>
        <button type="submit" className="gate-button" data-main disabled={!own.trim()}>
          Undo the admission
        </button>
      </form>
    </Sheet>
  );
}
