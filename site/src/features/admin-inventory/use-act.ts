// One change from a dialog or panel: busy while it runs, its error kept for display, the stock refetched afterwards.
import { useQueryClient } from "@tanstack/react-query";
import { STILL_OPEN, useAttempt } from "#ui/forms/use-attempt.ts";
import { toast } from "#ui/overlays/toast.ts";

export function useAct(success: string, onDone?: () => void) {
  const queryClient = useQueryClient();
  const { attempt, ...state } = useAttempt();
  const act = (change: () => Promise<unknown>, onRead = onDone, words = success) =>
    attempt(async () => {
      if ((await change()) === STILL_OPEN) return STILL_OPEN;
      toast.success(words);
      await Promise.all(
        ["inventory-status", "shop-sale"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
      );
    }, onRead);

  return { act, ...state };
}
