import { useEffect } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { Button } from "#ui/basics/button.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";

/** Replaces a back office screen that threw. */
export function ErrorFallback({ error }: { error: unknown }) {
  useEffect(() => logError("show a screen of the back office", error), [error]);
  return (
    <div className="mx-auto max-w-2xl py-6">
      <ErrorState
        title={<span className="display text-heading">Something went wrong</span>}
        action={<Button onClick={() => location.reload()}>Refresh Page</Button>}
      >
        <p>There was an error loading the admin dashboard. Please try refreshing the page.</p>
        <details className="mt-3">
          <summary className="w-fit underline underline-offset-4">Details</summary>
          <pre className="mt-2 text-sm whitespace-pre-wrap">
            {error instanceof Error ? error.message : String(error)}
          </pre>
        </details>
      </ErrorState>
    </div>
  );
}
