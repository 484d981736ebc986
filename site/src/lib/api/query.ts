// The query cache. Reads are retried twice, a second apart (PRODUCT 9.11); writes are never retried.
import { QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { coalesce, type Coalesced } from "./coalesce.ts";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // "always": without a connection a read fails visibly, instead of showing a skeleton for ever.
      // When the network is back, what is on screen is read again.
      queries: {
        retry: 2,
        retryDelay: 1000,
        staleTime: 10_000,
        networkMode: "always",
        refetchOnReconnect: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/**
 * Reads again what is on screen under this key, at most once every `everyMs`. A read under way goes on: given up for each change,
 * one that takes long or keeps failing would never end on a busy day. What changed meanwhile is read when it has ended.
 */
export function createRefresh(queryClient: QueryClient, queryKey: QueryKey, everyMs: number): Coalesced {
  const readAgain = () => queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  return coalesce(async () => {
    if (queryClient.isFetching({ queryKey }) > 0) await readAgain();
    await readAgain();
  }, everyMs);
}

/** Forgets what was read for a user when they sign out or another takes their place. */
export function useForgetOnSignOut(userId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    return () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(userId) });
  }, [userId, queryClient]);
}
