// What the server said of scans that were decided here while it could not be asked. Nobody is sent back out: these are for
// the organiser to know.
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import type { Notice } from "../rules/hand-in.ts";
import { resultWords, whenOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";

interface NoticesSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onClose: () => void;
}

export function NoticesSheet({ engine, gate, onClose }: NoticesSheetProps) {
  const now = engine.now();
  return (
    <Sheet title="Conflicts" onClose={onClose}>
      {gate.notices.length === 0 && <p className="gate-hint">None left.</p>}
      <ul className="gate-people">
        {gate.notices.map((notice) => (
          <li key={notice.id}>
            <div>
              <strong>{notice.name || `Code …${notice.code}`}</strong>
              <Story notice={notice} now={now} />
              <small>…{notice.code}</small>
            </div>
            <button type="button" className="gate-button" onClick={() => engine.dismissNotice(notice.id)}>
              Seen
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Story({ notice: { at, here, answer }, now }: { notice: Notice; now: number }) {
  const { first, despite } = answer;
  const places = (entrance: string | null, device: string | null) =>
    [entrance, device].filter(Boolean).join(", ") || "another gate";
  return (
    <>
      {first && (
        <span>
          First: {whenOf(first.at, now)}, {places(first.entrance, first.device)}
        </span>
      )}
      <span>
        {first ? "Again: " : "Let in: "}
        {whenOf(at, now)}, {here}
      </span>
      {despite && <em data-tone="wait">The server says: {resultWords[despite].word}</em>}
    </>
  );
}
