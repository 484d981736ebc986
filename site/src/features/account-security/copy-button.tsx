import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";

/** Announces that it copied, to screen readers too. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<"Copied" | "Could not copy">();
  return (
    <>
      <Button
        size="small"
        variant="secondary"
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setOutcome("Copied"),
            () => setOutcome("Could not copy"),
          )
        }
      >
        {outcome ?? label}
      </Button>
      <span role="status" className="sr-only">
        {outcome}
      </span>
    </>
  );
}
