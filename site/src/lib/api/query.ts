// The query cache. Reads are retried twice, a second apart, unless they took too long (PRODUCT 9.11); writes are never retried.
import { type Query, QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { coalesce, type Coalesced } from "./coalesce.ts";
import { isOutOfTime } from "./causes.ts";
import { onSupabaseLoaded } from "./supabase.ts";

const RETRIES = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // "always": without a connection a read fails visibly, instead of showing a skeleton for ever.
      // When the network is back, visible data is refetched.
      queries: {
        retry: (failures, error) => failures < RETRIES && !isOutOfTime(error),
        retryDelay: 1000,
        staleTime: 10_000,
        networkMode: "always",
        refetchOnReconnect: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

const hasFailed = ({ state }: Query) => state.status === "error";

/**
 * Refetches visible data under this key, at most once every `everyMs`. Does not cancel a read in progress: if every change did, a
 * slow or failing read would never finish on a busy day. Changes in the meantime are read afterwards.
 */
export function createRefresh(queryClient: QueryClient, queryKey: QueryKey, everyMs: number): Coalesced {
  const readAgain = () => queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  return coalesce(async () => {
    if (queryClient.isFetching({ queryKey }) > 0) {
      await readAgain();
      // It has had its retries. The next change reads it again.
      if (queryClient.getQueryCache().findAll({ queryKey, type: "active" }).every(hasFailed)) return;
    }
    await readAgain();
  }, everyMs);
}

/** A session that was due may have been renewed only after reads had failed for want of it, as after a laptop's sleep. */
export function useReadsAfterRenewal(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    let unsubscribe = () => {};
    const stopWaiting = onSupabaseLoaded(({ auth }) => {
      const { data } = auth.onAuthStateChange((event) => {
        if (event === "TOKEN_REFRESHED")
          void queryClient.refetchQueries({ type: "active", stale: true }, { cancelRefetch: false });
      });
      unsubscribe = () => data.subscription.unsubscribe();
    });
    return () => {
      stopWaiting();
      unsubscribe();
    };
  }, [queryClient]);
}

/** Removes a user's data when they sign out or another user replaces them. */
export function useForgetOnSignOut(userId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    return () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(userId) });
  }, [userId, queryClient]);
}
