// The query cache. Reads are retried twice, a second apart (PRODUCT 9.11); writes are never retried.
import { QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { coalesce, type Coalesced } from "./coalesce.ts";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // "always": without a connection a read fails visibly, instead of showing a skeleton for ever.
      // When the network is back, visible data is refetched.
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
 * Refetches visible data under this key, at most once every `everyMs`. Does not cancel a read in progress: if every change did, a
 * slow or failing read would never finish on a busy day. Changes in the meantime are read afterwards.
 */
export function createRefresh(queryClient: QueryClient, queryKey: QueryKey, everyMs: number): Coalesced {
  const readAgain = () => queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  return coalesce(async () => {
    if (queryClient.isFetching({ queryKey }) > 0) await readAgain();
    await readAgain();
  }, everyMs);
}

/** Removes a user's data when they sign out or another user replaces them. */
export function useForgetOnSignOut(userId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    return () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(userId) });
  }, [userId, queryClient]);
}
