import { useState, type FormEvent } from "react";
import { gateLimits } from "contract/gate";
import { tooLong } from "contract/text-limits";
import { Notice } from "./page.tsx";
import { Sheet } from "./sheet.tsx";

const reasons = ["Scanned by mistake", "Did not go in", "Wrong person"] as const;

interface UndoSheetProps {
  name: string;
  onClose: () => void;
  onUndo: (reason: string) => void;
}

/** Undoes an entry or exit. The audit log keeps the reason. */
export function UndoSheet({ name, onClose, onUndo }: UndoSheetProps) {
  const [own, setOwn] = useState("");
  const long = tooLong(own, gateLimits.undoReason);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (own.trim() && !long) onUndo(own.trim());
  }
  return (
    <Sheet title="Undo: why?" onClose={onClose}>
      {name && <p className="gate-lead">{name}</p>}
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
          <input value={own} onChange={(event) => setOwn(event.target.value)} autoComplete="off" />
        </label>
        {long && <Notice tone="stop">{long}.</Notice>}
        <button type="submit" className="gate-button" data-main disabled={!own.trim()}>
          Undo with this reason
        </button>
      </form>
    </Sheet>
  );
}
