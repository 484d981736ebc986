// One change from a dialog or panel: busy while it runs, its problem kept for display, the stock read again afterwards.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "#ui/overlays/toast.ts";

/** Returned by a change that was not made because the database asks for confirmation first. */
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
