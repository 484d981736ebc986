// The code of a text message that was sent, and a way to another one. The newest alone works.
import { useState } from "react";
import { Button } from "../basics/button.tsx";
import { CodeEntry, type CodeEntryProps } from "./code-entry.tsx";

interface TextedCodeProps extends Pick<CodeEntryProps, "name" | "submit" | "verify"> {
  /** Who it was sent to, where that is known. */
  to: string;
  /** Answers why none was sent. */
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
      {/* Not disabled while it sends, which would lose the focus of who has just pressed it. */}
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
