import { CircleAlert } from "lucide-react";
import { classNames } from "./class-names.ts";

interface StaleNoteProps {
  /** When what is shown was read, as text. */
  since: string;
  onRetry: () => void;
  className?: string;
}

/** Stands beside figures that could not be refreshed. */
export function StaleNote({ since, onRetry, className }: StaleNoteProps) {
  return (
    <p
      role="alert"
      className={classNames(
        "flex flex-wrap items-center gap-x-3 gap-y-1 border-l-4 border-candy-deep bg-candy/8 px-3 py-2 text-[0.9375rem] font-semibold",
        className,
      )}
    >
      <CircleAlert aria-hidden="true" className="size-4.5 shrink-0 text-candy-deep" />
      <span>Could not refresh. These figures are from {since}.</span>
      <button type="button" className="min-h-6 underline underline-offset-4" onClick={onRetry}>
        Try Again
      </button>
    </p>
  );
}
