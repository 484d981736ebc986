// The server's verdicts on scans that were decided here while it was unreachable. No one is sent back out: these inform
// the organizer.
import type { ReactNode } from "react";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import { admissionsOf, NOT_RECORDED, type Notice } from "../rules/waiting-scans.ts";
import { resultWords, whenOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";

interface NoticesSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onClose: () => void;
}

export function NoticesSheet({ engine, gate, onClose }: NoticesSheetProps) {
  const now = engine.now();
  const fresh = gate.notices.filter(({ seen }) => !seen);
  const seen = gate.notices.filter((notice) => notice.seen);
  return (
    <Sheet title={noticesWord(gate.notices)} onClose={onClose}>
      {fresh.length === 0 && <p className="gate-hint">Nothing left to review.</p>}
      <ul className="gate-people">
        {fresh.map((notice) => (
          <Item key={notice.id} notice={notice} now={now}>
            <button type="button" className="gate-button" onClick={() => engine.seeNotice(notice.id)}>
              Seen<span className="sr-only"> {notice.name}</span>
            </button>
          </Item>
        ))}
      </ul>
      {seen.length > 0 && (
        <>
          <h3 className="gate-subtitle">Seen</h3>
          <ul className="gate-people" aria-label="Seen">
            {seen.map((notice) => (
              <Item key={notice.id} notice={notice} now={now} />
            ))}
          </ul>
        </>
      )}
    </Sheet>
  );
}

/** Conflicts, unless one of them is a scan that was not recorded. */
export const noticesWord = (notices: readonly Notice[]): string =>
  notices.every(({ answer }) => answer.detail !== NOT_RECORDED) ? "Conflicts" : "Notices";

function Item({ notice, now, children }: { notice: Notice; now: number; children?: ReactNode }) {
  return (
    <li>
      <div>
        <strong>{notice.name || (notice.code ? `#${notice.code}` : "No code")}</strong>
        <Story notice={notice} now={now} />
        {notice.code && <small>#{notice.code}</small>}
      </div>
      {children}
    </li>
  );
}

function Story({ notice, now }: { notice: Notice; now: number }) {
  const { despite, detail } = notice.answer;
  if (detail === NOT_RECORDED) {
    return (
      <>
        <span>
          Scanned: {whenOf(notice.at, now)}, {notice.here}
        </span>
        <em data-tone="stop">The server could not record this scan. It is in the audit log.</em>
      </>
    );
  }
  const places = admissionsOf(notice);
  return (
    <>
      {places.map(({ at, where }, index) => (
        <span key={`${at} ${where}`}>
          {places.length === 1 ? "Let in" : index === 0 ? "First" : "Again"}: {whenOf(at, now)}, {where}
        </span>
      ))}
      {despite && <em data-tone="wait">The server says: {resultWords[despite].word}</em>}
    </>
  );
}
