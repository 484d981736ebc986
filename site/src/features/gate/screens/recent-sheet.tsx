// The last scans, for review and undo: by this device, even without a network, and by the others at its entrance.
import { useEffect, useState } from "react";
import type { GateRecent } from "contract/gate";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot, RecentScan, Undoable } from "../device/snapshot.ts";
import { whenOf, wordsOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";

interface RecentSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onClose: () => void;
  onUndo: (what: Undoable) => void;
}

export function RecentSheet({ engine, gate, onClose, onUndo }: RecentSheetProps) {
  const now = engine.now();
  const others = useOthers(engine, gate.offlineSince !== undefined);
  return (
    <Sheet title="Recent" onClose={onClose}>
      <h3 className="gate-subtitle">This phone</h3>
      {gate.recent.length === 0 && <p className="gate-hint">No scans on this phone yet.</p>}
      <ul className="gate-people" aria-label="This phone">
        {gate.recent.map((scan) => (
          <Item key={scan.id} scan={scan} when={whenOf(scan.at, now)} onUndo={onUndo} />
        ))}
      </ul>
      <h3 className="gate-subtitle">Other phones at this entrance</h3>
      <p className="gate-hint" role="status">
        {othersWords(others, gate.offlineSince !== undefined)}
      </p>
      <ul className="gate-people" aria-label="Other phones">
        {others?.map((scan) => (
          <Item
            key={scan.id}
            scan={asRecent(scan)}
            when={`${whenOf(scan.at, now)}, ${scan.device ?? "Back office"}`}
            onUndo={onUndo}
          />
        ))}
      </ul>
    </Sheet>
  );
}

type OtherScans = GateRecent["scans"];

const ASK_AGAIN_MS = 3000;

/** Undefined until the server has responded. */
function useOthers(engine: GateEngine, isOffline: boolean): OtherScans | undefined {
  const [others, setOthers] = useState<OtherScans>();
  useEffect(() => {
    if (isOffline) return;
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function ask() {
      const found = await engine.recentOfOthers();
      if (left) return;
      if (found) setOthers(found);
      else timer = setTimeout(() => void ask(), ASK_AGAIN_MS);
    }
    void ask();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [engine, isOffline]);
  return others;
}

function othersWords(others: OtherScans | undefined, isOffline: boolean): string {
  if (others) return others.length === 0 ? "No scans there today." : "Newest first.";
  return isOffline ? "Offline, only this phone’s scans are listed." : "Looking…";
}

function asRecent({ id, code_id, action, person, at, since, is_undone }: OtherScans[number]): RecentScan {
  return {
    id,
    codeId: code_id,
    name: person.name,
    type: person.type,
    result: is_undone ? "undone" : action === "in" ? "admitted" : "let_out",
    at,
    ...(since == null ? {} : { since }),
  };
}

interface ItemProps {
  scan: RecentScan;
  when: string;
  onUndo: (what: Undoable) => void;
}

function Item({ scan, when, onUndo }: ItemProps) {
  const { word, tone } = wordsOf(scan);
  return (
    <li>
      <div>
        <strong>{scan.name || "No name"}</strong>
        {scan.type && <span>{scan.type}</span>}
        <em data-tone={tone}>{word}</em>
        <small>{when}</small>
      </div>
      <UndoButton scan={scan} onUndo={onUndo} />
    </li>
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
