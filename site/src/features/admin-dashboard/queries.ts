import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { read, type FailureReport } from "#lib/lists/back-office-reads.ts";
import { followChanges } from "#lib/api/changes.ts";
import { createRefresh } from "#lib/api/query.ts";
import { parseSalesOverview, parseSystemHealth, parseVisitStats } from "./model.ts";

const HEALTH_EVERY_MS = 30_000;
const VISITS_EVERY_MS = 10_000;
/** The shortest interval between two reads, however many visits arrive. */
const VISITS_AT_MOST_EVERY_MS = 1000;

export function useSalesOverview() {
  return useQuery({
    queryKey: ["sales-overview"],
    queryFn: async () =>
      parseSalesOverview(await read("sales overview", (supabase) => supabase.rpc("get_sales_overview"))),
    meta: { failedAs: "FETCH_ERROR_SALES_OVERVIEW", table: "orders" } satisfies FailureReport,
  });
}

export function useSystemHealth() {
  return useQuery({
    queryKey: ["system-health"],
    queryFn: async () =>
      parseSystemHealth(await read("system health", (supabase) => supabase.rpc("get_system_health"))),
    refetchInterval: HEALTH_EVERY_MS,
  });
}

const visitStats = queryOptions({
  queryKey: ["visit-stats"],
  queryFn: async () =>
    parseVisitStats(await read("visit stats", (supabase) => supabase.rpc("get_realtime_visit_stats"))),
});

/** Fetched every ten seconds and soon after any visit. */
export function useVisitStats() {
  const queryClient = useQueryClient();
  useEffect(() => {
    const refetch = createRefresh(queryClient, visitStats.queryKey, VISITS_AT_MOST_EVERY_MS);
    const leave = followChanges(
      "site-visits",
      [{ table: "site_visits", event: "*", columns: [], notify: refetch }],
      refetch,
    );
    return () => {
      leave();
      refetch.cancel();
    };
  }, [queryClient]);
  return useQuery({ ...visitStats, refetchInterval: VISITS_EVERY_MS });
}

/** The state of that read, without fetching. */
export function useVisitStatsRead() {
  return useQuery({ ...visitStats, enabled: false });
}
