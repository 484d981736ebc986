import { useState } from "react";
import type { Failure } from "#lib/api/refusal.ts";
import { useIsShown } from "./use-is-shown.ts";

/** Why an attempt failed, and the database's column that it is about, where the database named one. */
export interface Refused {
  problem: string | undefined;
  column: string | undefined;
}

/** Returned by an attempt that is not done yet, because the database asks first or did not answer: its dialog stays open. */
export const STILL_OPEN = Symbol("still open");

const none: Refused = { problem: undefined, column: undefined };

/** One attempt of a form at a time: busy while it runs, with the reason why it failed. */
export function useAttempt() {
  const [refused, setRefused] = useState(none);
  const [busy, setBusy] = useState(false);
  const isShown = useIsShown();

  /** `onDone` is called if the form is still shown. */
  async function attempt(work: () => Promise<unknown>, onDone?: () => void): Promise<void> {
    if (busy) return;
    setBusy(true);
    setRefused(none);
    try {
      if ((await work()) !== STILL_OPEN && isShown.current) onDone?.();
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
