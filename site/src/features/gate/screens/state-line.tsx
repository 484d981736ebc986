// One line with the gate's state in plain words: the entrance, online or offline since when, how many scans are waiting,
// and how old the list is.
import { useEffect, useState } from "react";
import { count } from "#lib/format.ts";
import type { GateEngine } from "../device/engine.ts";
import { CLOCK_OFF_MS, type GateSnapshot, type StorageState } from "../device/snapshot.ts";
import { NOT_RECORDED } from "../rules/waiting-scans.ts";
import { closedWords, timeOf } from "../rules/words.ts";

interface StateLineProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onNotices: () => void;
}

/** Doors open and close while no one touches the device. */
const LOOK_AGAIN_MS = 15_000;

export function StateLine({ engine, gate, onNotices }: StateLineProps) {
  const { offlineSince, pending, listAt, storage, clockOffset, opened } = gate;
  const [, lookAgain] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => lookAgain((times) => times + 1), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const notices = gate.notices.filter(({ seen }) => !seen);
  const isConflict = notices.every(({ answer }) => answer.detail !== NOT_RECORDED);
  const closed = opened && closedWords(opened.settings, gate.entrance, engine.now());
  return (
    <header className="gate-state" data-offline={offlineSince !== undefined || undefined}>
      <p className="gate-place">
        <strong>{gate.entrance?.name}</strong> <span>{opened?.device.name}</span>
      </p>
      <p className="gate-words">
        <b role="status">{offlineSince === undefined ? "Online" : `Offline since ${timeOf(offlineSince)}`}</b>
        {pending > 0 && <span>{count(pending, "scan")} to sync</span>}
        <span>{listAt === undefined ? "Fetching the list…" : `List from ${timeOf(listAt)}`}</span>
      </p>
      {closed && (
        <p className="gate-chip" data-tone="wait">
          {closed}
        </p>
      )}
      {notices.length > 0 && (
        <button type="button" className="gate-chip" data-tone="stop" onClick={onNotices}>
          {count(notices.length, isConflict ? "conflict" : "notice")}: view
        </button>
      )}
      {storage !== "kept" && (
        <p className="gate-chip" data-tone="stop">
          {storageWords[storage]}
        </p>
      )}
      {storage === "unread" && pending === 0 && <ReadAgain engine={engine} />}
      {gate.refusal && (
        <p className="gate-chip" data-tone="stop">
          The server refused: {gate.refusal}
        </p>
      )}
      {Math.abs(clockOffset) > CLOCK_OFF_MS && (
        <p className="gate-chip" data-tone="wait">
          This phone’s clock is {offBy(clockOffset)}. Scans still get the right time.
        </p>
      )}
    </header>
  );
}

function offBy(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const amount = minutes < 120 ? count(minutes, "minute") : count(Math.round(minutes / 60), "hour");
  return `${amount} ${offset > 0 ? "behind" : "ahead"}`;
}

const storageWords: Readonly<Record<Exclude<StorageState, "kept">, string>> = {
  full: "Storage full. Free up some space. Scans still count, but keep this page open until all are synced.",
  failing:
    "Storage is failing. Close other gate tabs. Scans still count, but keep this page open until all are synced.",
  unread: "Earlier scans cannot be read yet. New ones count, but keep this page open until all are synced.",
  none: "This browser cannot store scans. Keep this page open until all are synced.",
};

/** A reloaded page includes the earlier scans. Offered only while no new ones are waiting, because it might lose them. */
function ReadAgain({ engine }: { engine: GateEngine }) {
  const [words, setWords] = useState("Read them now");
  async function look() {
    setWords("Reading…");
    if (await engine.isReadable()) location.reload();
    else setWords("Still unreadable. Try again");
  }
  return (
    <button type="button" className="gate-chip" data-tone="stop" onClick={() => void look()}>
      {words}
    </button>
  );
}
