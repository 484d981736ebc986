import { classNames } from "../basics/class-names.ts";

/** A grey-free placeholder in the final layout: give it the size of what will come. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden="true"
      data-loading=""
      className={classNames("animate-pulse-ink bg-paper-deep", className)}
    />
  );
}
