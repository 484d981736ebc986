import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readTransferAnswer, type TransferAnswer } from "contract/transfers";
import { callFunction } from "#lib/api/functions.ts";

async function ask(token: string, action: string, withAccount = false): Promise<TransferAnswer> {
  return readTransferAnswer(await callFunction("ticket-transfer", { token, action, withAccount }));
}

const linkKey = (token: string, userId: string | undefined) =>
  ["transfer", token, userId ?? "nobody"] as const;

/** What the link is about, for whoever looks. */
export function useTransferLink(token: string, userId: string | undefined) {
  return useQuery({
    queryKey: linkKey(token, userId),
    // What accepting answered stays on the page: nobody gets the codes a second time.
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: 1,
    queryFn: () => ask(token, "look"),
  });
}

/** Accepts, with the user's account or without one; the answer is the page's from then on. */
export function useAcceptTransfer(token: string, userId: string | undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (withAccount: boolean) => ask(token, "accept", withAccount),
    onSuccess: (answer) => {
      queryClient.setQueryData(linkKey(token, userId), answer);
      void queryClient.invalidateQueries({ queryKey: ["tickets"] });
    },
  });
}

/** Answers whether it was sent; false when it was sent often enough. */
export function useSendCodesAgain(token: string) {
  return useMutation({ mutationFn: async () => (await ask(token, "resend")).sent === true });
}
