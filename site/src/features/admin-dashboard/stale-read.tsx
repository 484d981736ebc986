import { formatClock } from "#lib/format.ts";
import { StaleNote } from "#ui/lists/stale-note.tsx";
import type { LiveRead } from "./model.ts";

/** Shown beside figures whose refresh failed. */
export function StaleRead({ read }: { read: LiveRead & { refetch: () => unknown } }) {
  if (!read.isError) return null;
  return (
    <StaleNote className="mb-3" since={formatClock(read.dataUpdatedAt)} onRetry={() => void read.refetch()} />
  );
}
