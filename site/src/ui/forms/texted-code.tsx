// The code from a text message, and a button that sends another. Only the newest code works.
import { useState } from "react";
import { Button } from "../basics/button.tsx";
import { CodeEntry, type CodeEntryProps } from "./code-entry.tsx";

interface TextedCodeProps extends Pick<CodeEntryProps, "name" | "submit" | "verify"> {
  /** The recipient, where known. */
  to: string;
  /** Returns why none was sent. */
  sendAgain: () => Promise<string | undefined>;
}

export function TextedCode({ to, sendAgain, ...entry }: TextedCodeProps) {
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState("");
  async function send() {
    if (sending) return;
    setSending(true);
    setOutcome("");
    setOutcome((await sendAgain()) ?? "We sent another code. Earlier ones no longer work.");
    setSending(false);
  }
  return (
    <div className="space-y-4">
      <CodeEntry
        {...entry}
        label="Code"
        hint={`The code in the text message to ${to.replaceAll(" ", "\u00A0")}.`}
        isNumber
        takesFocus
      />
      {/* Not disabled while it sends: that would take the focus from a user who has just pressed it. */}
      <Button
        variant="secondary"
        size="small"
        aria-disabled={sending || undefined}
        onClick={() => void send()}
      >
        Send Another Code
      </Button>
      <p role="status" className="text-sm empty:hidden">
        {outcome}
      </p>
    </div>
  );
}
