import { useSyncExternalStore, type ReactNode } from "react";
import { changesDownSince, watchChangesDown } from "#lib/api/changes.ts";
import { formatClock } from "#lib/format.ts";
import { offlineSince, type LiveRead } from "./model.ts";

interface LiveBadgeProps {
  /** The reads it speaks for. */
  reads: readonly LiveRead[];
  children: ReactNode;
}

/** Says that the figures beside it update themselves, or since when they do not. */
export function LiveBadge({ reads, children }: LiveBadgeProps) {
  const downSince = useSyncExternalStore(watchChangesDown, changesDownSince, () => undefined);
  const since = offlineSince(reads, downSince);
  if (since !== undefined) {
    return (
      <span
        role="status"
        className="inline-flex items-center gap-2 border border-candy-deep px-2.5 py-1 text-sm leading-none font-bold text-candy-deep"
      >
        <span aria-hidden="true" className="size-2 rounded-full border-2 border-candy-deep" />
        Offline since {formatClock(since)}
      </span>
    );
  }
  return (
    <span
      role="status"
      className="inline-flex items-center gap-2 border border-bayou-deep px-2.5 py-1 text-sm leading-none font-bold text-bayou-deep"
    >
      <span aria-hidden="true" className="size-2 animate-pulse-ink rounded-full bg-bayou" />
      {children}
    </span>
  );
}
