// What this phone scanned last, to look back at and to take back.
import type { GateSnapshot, RecentScan, Undoable } from "../device/snapshot.ts";
import { whenOf, wordsOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";

interface RecentSheetProps {
  gate: GateSnapshot;
  now: number;
  onClose: () => void;
  onUndo: (what: Undoable) => void;
}

export function RecentSheet({ gate, now, onClose, onUndo }: RecentSheetProps) {
  return (
    <Sheet title="Recent scans" onClose={onClose}>
      {gate.recent.length === 0 && <p className="gate-hint">Nothing was scanned on this phone yet.</p>}
      <ul className="gate-people">
        {gate.recent.map((scan) => (
          <li key={scan.id}>
            <div>
              <strong>{scan.name || "No name"}</strong>
              {scan.type && <span>{scan.type}</span>}
              <em data-tone={wordsOf(scan).tone}>{wordsOf(scan).word}</em>
              <small>{whenOf(scan.at, now)}</small>
            </div>
            <UndoButton scan={scan} onUndo={onUndo} />
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function UndoButton({ scan, onUndo }: { scan: RecentScan; onUndo: (what: Undoable) => void }) {
  const { id, codeId, name, result, since } = scan;
  if (!codeId || (result !== "admitted" && result !== "let_out")) return null;
  const what = { codeId, undoes: id, name, ...(since === undefined ? {} : { since }) };
  return (
    <button type="button" className="gate-button" onClick={() => onUndo(what)}>
      Undo<span className="sr-only"> {name}</span>
    </button>
  );
}
