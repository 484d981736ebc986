import type { ReactNode } from "react";
import { formatClock } from "#lib/format.ts";
import { classNames } from "../basics/class-names.ts";

interface LiveMarkProps {
  /** Since when nothing has arrived; undefined while all is live. */
  since: number | undefined;
  /** Shown before that time. */
  lost?: string;
  /** Shown while all is live. */
  children: ReactNode;
}

/** Shows that the figures beside it update themselves, or since when they have not. */
export function LiveMark({ since, lost = "Offline", children }: LiveMarkProps) {
  const down = since !== undefined;
  return (
    <span
      role="status"
      className={classNames(
        "inline-flex items-center gap-2 border px-2.5 py-1 text-sm leading-none font-bold",
        down ? "border-candy-deep text-candy-deep" : "border-bayou-deep text-bayou-deep",
      )}
    >
      <span
        aria-hidden="true"
        className={classNames(
          "size-2 rounded-full",
          down ? "border-2 border-candy-deep" : "animate-pulse-ink bg-bayou",
        )}
      />
      {down ? `${lost} since ${formatClock(since)}` : children}
    </span>
  );
}
