import { useSyncExternalStore, type ReactNode } from "react";
import { changesDownSince, watchChangesDown } from "#lib/api/changes.ts";
import { LiveMark } from "#ui/figures/live-mark.tsx";
import { offlineSince, type LiveRead } from "./model.ts";

interface LiveBadgeProps {
  /** The reads it represents. */
  reads: readonly LiveRead[];
  children: ReactNode;
}

/** Shows that the figures beside it update themselves, or since when they have not. */
export function LiveBadge({ reads, children }: LiveBadgeProps) {
  const downSince = useSyncExternalStore(watchChangesDown, changesDownSince, () => undefined);
  return <LiveMark since={offlineSince(reads, downSince)}>{children}</LiveMark>;
}
