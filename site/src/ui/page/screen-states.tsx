// The empty and error states of a screen.
import type { ReactNode } from "react";
import { Button } from "../basics/button.tsx";
import { classNames } from "../basics/class-names.ts";

interface StateProps {
  title: ReactNode;
  children?: ReactNode;
  /** Usually one Button. */
  action?: ReactNode;
  icon?: ReactNode;
  className?: string;
}

export function EmptyState({ title, children, action, icon, className }: StateProps) {
  return (
    <div
      className={classNames(
        "flex flex-col items-start gap-3 border-2 border-dashed border-ink/45 p-6 sm:p-8",
        className,
      )}
    >
      {icon && <div aria-hidden="true">{icon}</div>}
      <p className="display text-heading">{title}</p>
      {children && <div className="max-w-prose text-ink-soft">{children}</div>}
      {action}
    </div>
  );
}

/** `onRetry` adds a button, labeled `retryLabel`; `cause` the reason, to unfold. */
export function ErrorState({
  title,
  children,
  action,
  icon,
  className,
  onRetry,
  retryLabel = "Try Again",
  cause,
}: StateProps & { onRetry?: () => void; retryLabel?: string; cause?: Error | null }) {
  return (
    <div
      role="alert"
      className={classNames(
        "flex flex-col items-start gap-3 border-2 border-l-[12px] border-candy-deep bg-sheet p-6 sm:p-8",
        className,
      )}
    >
      {icon && <div aria-hidden="true">{icon}</div>}
      <p className="text-lg font-semibold">{title}</p>
      {children && <div className="max-w-prose text-ink-soft">{children}</div>}
      {cause && <Cause error={cause} />}
      {action}
      {onRetry && (
        <Button variant="secondary" onClick={onRetry}>
          {retryLabel}
        </Button>
      )}
    </div>
  );
}

/** Why something failed, to unfold. */
export function Cause({ error }: { error: Error }) {
  return (
    <details className="max-w-prose text-ink-soft">
      <summary className="w-fit underline underline-offset-4">Details</summary>
      <p className="mt-2">{error.message}</p>
    </details>
  );
}
