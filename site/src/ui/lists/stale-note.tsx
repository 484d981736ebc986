import { CircleAlert } from "lucide-react";
import { classNames } from "../basics/class-names.ts";

interface StaleNoteProps {
  /** When the figures were read, as text. */
  since: string;
  onRetry: () => void;
  className?: string;
}

/** Warns that the figures beside it could not be refreshed. */
export function StaleNote({ since, onRetry, className }: StaleNoteProps) {
  return (
    <p
      role="alert"
      className={classNames(
        "flex items-start gap-3 border-l-4 border-candy-deep bg-candy/8 px-3 py-2 text-[0.9375rem] font-semibold",
        className,
      )}
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4.5 shrink-0 text-candy-deep" />
      <span className="flex flex-wrap gap-x-3">
        <span>Could not refresh. These figures are from {since}.</span>
        <button type="button" className="min-h-6 underline underline-offset-4" onClick={onRetry}>
          Try Again
        </button>
      </span>
    </p>
  );
}
