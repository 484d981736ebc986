import { useState } from "react";

/** One attempt of a form at a time: busy while it runs, with the reason why it failed. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }

  return { attempt, busy, problem, setProblem };
}
