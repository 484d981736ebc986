import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readTransferAnswer, type TransferAnswer } from "contract/tickets/transfers";
import { callFunction } from "#lib/api/functions.ts";

async function ask(token: string, action: string, withAccount = false): Promise<TransferAnswer> {
  return readTransferAnswer(await callFunction("ticket-transfer", { token, action, withAccount }));
}

const linkKey = (token: string, userId: string | undefined) =>
  ["transfer", token, userId ?? "nobody"] as const;

/** The state of the link, for the current viewer. */
export function useTransferLink(token: string, userId: string | undefined) {
  return useQuery({
    queryKey: linkKey(token, userId),
    // The response to accepting stays on the page, because no one gets the codes a second time.
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: 1,
    queryFn: () => ask(token, "look"),
  });
}

/** Accepts with or without the user's account. The page then shows the response. */
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

/** Returns whether it was sent; false when it was sent too often. */
export function useSendCodesAgain(token: string) {
  return useMutation({ mutationFn: async () => (await ask(token, "resend")).sent === true });
}
