// Steps as they happen, so that a kill can be timed to one of them; and those of orders.
export const STEPS = [
  "sign-in sent",
  "order sent",
  "order answered",
  "payment sent",
  "payment answered",
  "tickets asked for",
  "tickets answered",
  "refund sent",
  "refund answered",
  "outbox about to drain",
  "holds about to expire",
  "payments about to be reconciled",
] as const;

export type Step = (typeof STEPS)[number];

export interface Steps<Name = Step> {
  reached(step: Name): void;
  /** Resolves when the step is next reached, or with false after `patienceMs`. */
  next(step: Name, patienceMs: number): Promise<boolean>;
}

export function createSteps<Name = Step>(): Steps<Name> {
  const waiting = new Map<Name, (() => void)[]>();
  return {
    reached(step) {
      for (const wake of waiting.get(step) ?? []) wake();
      waiting.delete(step);
    },
    next: (step, patienceMs) =>
      new Promise((done) => {
        const timer = setTimeout(() => done(false), patienceMs);
        const wake = () => {
          clearTimeout(timer);
          done(true);
        };
        waiting.set(step, [...(waiting.get(step) ?? []), wake]);
      }),
  };
}
