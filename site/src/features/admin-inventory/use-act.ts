// One change from a dialog or panel: busy while it is under way, its problem kept to be shown, the lists read again after it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "#ui/overlays/toast.ts";

/** What a change answers when it has not been done, since it asks something first. */
export const STILL_OPEN = Symbol("still open");

export function useAct(success: string, onDone?: () => void) {
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function act(change: () => Promise<unknown>) {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      if ((await change()) === STILL_OPEN) return;
      toast.success(success);
      await Promise.all(
        ["inventory-status", "shop-sale"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
      );
      onDone?.();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }

  return { act, busy, problem, setProblem };
}
