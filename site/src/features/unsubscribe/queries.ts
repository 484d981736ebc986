import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readOptOutAnswer, type OptOutAnswer } from "contract/message-opt-outs";
import { callFunction } from "#lib/api/functions.ts";

const ask = async (token: string, wanted?: boolean): Promise<OptOutAnswer> =>
  readOptOutAnswer(await callFunction("unsubscribe", { token, wanted }));

const linkKey = (token: string) => ["unsubscribe", token] as const;

/** Whether the address behind the link gets messages. Asking changes nothing. */
export function useOptOut(token: string) {
  return useQuery({ queryKey: linkKey(token), retry: 1, queryFn: () => ask(token) });
}

/** Ends the messages, or resumes them when `wanted`. */
export function useChangeOptOut(token: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (wanted: boolean) => ask(token, wanted),
    onSuccess: (answer) => queryClient.setQueryData(linkKey(token), answer),
  });
}
