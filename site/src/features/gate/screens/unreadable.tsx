// The phone's storage cannot be read: what is wrong, what helps, and how to let people in until then.
import { useState } from "react";
import type { GateEngine } from "../device/engine.ts";
import { Notice, Page } from "./page.tsx";

export function Unreadable({ engine }: { engine: GateEngine }) {
  const [attempt, setAttempt] = useState<"none" | "reading" | "failed">("none");
  async function readAgain() {
    setAttempt("reading");
    if (!(await engine.readAgain())) setAttempt("failed");
  }
  const isReading = attempt === "reading";
  return (
    <Page
      title="Storage not readable"
      lead="This phone cannot read what it kept for the gate: its list, and scans that may still wait to be synced."
      alert
    >
      <p>
        The gate has deleted none of it. Close other pages of the gate and free some space; if that does not
        help, restart the phone. Do not clear this site’s data: scans that wait would be lost.
      </p>
      <div className="gate-stack">
        {attempt === "failed" && <Notice tone="stop">It still cannot be read.</Notice>}
        <button
          type="button"
          className="gate-button"
          data-main
          disabled={isReading}
          onClick={() => void readAgain()}
        >
          {isReading ? "One moment…" : "Try again"}
        </button>
      </div>
      <p>
        With a network you can let people in meanwhile. What waits is synced once it can be read. Until then,
        whoever this phone let in offline could be let in a second time; the gate board shows it as a
        conflict.
      </p>
      <div className="gate-stack">
        <button type="button" className="gate-button" onClick={engine.beginWithout}>
          Continue without
        </button>
      </div>
    </Page>
  );
}
