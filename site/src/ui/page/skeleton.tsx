import { classNames } from "../basics/class-names.ts";

/** A placeholder in the final layout: give it the size of the content it replaces. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden="true"
      data-loading=""
      className={classNames("animate-pulse-ink bg-paper-deep", className)}
    />
  );
}
