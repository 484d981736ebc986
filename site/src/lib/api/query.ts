// The cache of what the server said. Reads are tried again 2 times, a second apart (specification 001, section 9);
// writes never by themselves.
import { QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // "always": without a connection a read fails and says so, instead of showing a skeleton for ever.
      // With the network back, what is on screen is read again at once.
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

/** What was read for one user is forgotten when another one, or nobody, takes their place. */
export function useForgetOnSignOut(userId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    return () => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(userId) });
  }, [userId, queryClient]);
}
