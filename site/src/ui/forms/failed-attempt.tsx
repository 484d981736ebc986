import type { ReactNode } from "react";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { ErrorState } from "../page/screen-states.tsx";

interface FailedAttemptProps {
  error: Error;
  said: {
    /** "Nothing was changed." */
    refused: string;
    /** The text when the outcome is unknown: "The ticket may have been corrected." */
    open: string;
  };
  className: string;
  /** Shown after the reason. */
  children?: ReactNode;
}

/** Why something was not done, or that it is unknown whether it was. */
export function FailedAttempt({ error, said, className, children }: FailedAttemptProps) {
  return (
    <ErrorState
      className={className}
      title={isOpenOutcome(error) ? `No response. ${said.open}` : said.refused}
    >
      {error.message} {children}
    </ErrorState>
  );
}
