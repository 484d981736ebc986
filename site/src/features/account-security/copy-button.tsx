import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";

/** Says that it copied, also to who does not see it. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <>
      <Button
        size="small"
        variant="secondary"
        {...(className && { className })}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {copied ? "Copied" : label}
      </Button>
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}
