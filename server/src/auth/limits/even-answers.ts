// Answers that take as long for a known address as for an unknown one.
import { setTimeout as sleep } from "node:timers/promises";

/** The outcome of `work`, after the same wait whether or not the address has an account. */
export type EvenAnswers = <T>(work: () => Promise<T>) => Promise<T>;

/** Answers after `milliseconds` at the earliest, refusals too. Choose a value far longer than either case takes. */
export const createEvenAnswers =
  (milliseconds: number, pause: (milliseconds: number) => Promise<unknown> = sleep): EvenAnswers =>
  async (work) => {
    const [, outcome] = await Promise.allSettled([pause(milliseconds), work()]);
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  };
