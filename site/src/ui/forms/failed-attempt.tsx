import type { ReactNode } from "react";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { ErrorState } from "../page/screen-states.tsx";

interface FailedAttemptProps {
  error: Error;
  said: {
    /** "Nothing was changed." */
    refused: string;
    /** What is said instead where nobody said no: "it may have been changed" */
    open: string;
  };
  className: string;
  /** Behind the reason. */
  children?: ReactNode;
}

/** Why something was not done, or that nobody knows whether it was. */
export function FailedAttempt({ error, said, className, children }: FailedAttemptProps) {
  return (
    <ErrorState
      className={className}
      title={isOpenOutcome(error) ? `No answer came: ${said.open}.` : said.refused}
    >
      {error.message} {children}
    </ErrorState>
  );
}
