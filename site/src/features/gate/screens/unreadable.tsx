// The device's storage cannot be read: what is wrong, what helps, and how to let people in until then.
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
      title="Storage can’t be read"
      lead="This phone cannot read its saved gate data, which is its list and any scans still to be synced."
      alert
    >
      <p>
        Nothing was deleted. Close other gate tabs and free up some space. If that does not help, restart the
        phone. Do not clear this site’s data, or scans still to be synced will be lost.
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
        With a connection, you can keep scanning guests in. Saved scans are synced once they can be read.
        Until then, guests this phone let in offline could be let in a second time, which the gate board shows
        as a conflict.
      </p>
      <div className="gate-stack">
        <button type="button" className="gate-button" onClick={engine.beginWithout}>
          Continue without
        </button>
      </div>
    </Page>
  );
}
