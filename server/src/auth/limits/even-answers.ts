// Answers that take as long for a known address as for an unknown one.
import { setTimeout as sleep } from "node:timers/promises";

/** The outcome of `work`, not before `milliseconds` have passed: far longer than either case takes. */
export async function takeAtLeast<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), sleep(milliseconds)]);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
