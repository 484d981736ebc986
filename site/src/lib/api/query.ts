// The query cache. Reads are retried twice, a second apart (PRODUCT 9.11); writes are never retried.
import { QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

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

/** Forgets what was read for a user when they sign out or another takes their place. */
export function useForgetOnSignOut(userId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    return () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(userId) });
  }, [userId, queryClient]);
}
