// Warns that the figures on screen are stale because a refresh failed.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { StaleNote } from "#ui/lists/stale-note.tsx";
import { formatClock } from "#lib/format.ts";

export function StaleNotice() {
  const queryClient = useQueryClient();
  const subscribe = useCallback(
    (notify: () => void) => queryClient.getQueryCache().subscribe(notify),
    [queryClient],
  );
  const since = useSyncExternalStore(
    subscribe,
    () => staleSince(queryClient),
    () => undefined,
  );
  if (since === undefined) return null;
  return (
    <StaleNote
      className="mb-4"
      since={formatClock(since)}
      onRetry={() => void queryClient.refetchQueries({ predicate: ({ state }) => state.status === "error" })}
    />
  );
}

/** When the oldest of the stale figures on screen were read. */
function staleSince(queryClient: QueryClient): number | undefined {
  const times = queryClient
    .getQueryCache()
    .findAll({ type: "active" })
    .filter(({ state }) => state.status === "error" && state.data !== undefined)
    .map(({ state }) => state.dataUpdatedAt);
  return times.length > 0 ? Math.min(...times) : undefined;
}
