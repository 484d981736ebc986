import { useState } from "react";
import type { Failure } from "#lib/api/refusal.ts";

/** Why an attempt failed, and the database's column that it is about, where the database named one. */
export interface Refused {
  problem: string | undefined;
  column: string | undefined;
}

const none: Refused = { problem: undefined, column: undefined };

/** One attempt of a form at a time: busy while it runs, with the reason why it failed. */
export function useAttempt() {
  const [refused, setRefused] = useState(none);
  const [busy, setBusy] = useState(false);

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    if (busy) return;
    setBusy(true);
    setRefused(none);
    try {
      await work();
    } catch (error) {
      setRefused(refusedBy(error));
    } finally {
      setBusy(false);
    }
  }

  const setProblem = (problem: string | undefined) => setRefused({ problem, column: undefined });
  return { attempt, busy, ...refused, setProblem };
}

export function refusedBy(error: unknown): Refused {
  if (!(error instanceof Error)) return { problem: String(error), column: undefined };
  const { details } = (error.cause ?? {}) as Partial<Failure>;
  return { problem: error.message, column: details ?? undefined };
}
