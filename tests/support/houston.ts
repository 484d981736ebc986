// Days in Houston, for tests that may run across its midnight.
import { TIME_ZONE } from "contract/time-zone";

const day = new Intl.DateTimeFormat("en-CA", { timeZone: TIME_ZONE });

/** 25 hours from now: also on the day that the clocks go back, this is no longer today. */
export const tomorrow = (): string => day.format(Date.now() + 25 * 3_600_000);

/** What a figure of today counts from: `before`, or nothing once midnight has passed. */
export function todayFrom(before: number): () => number {
  const then = day.format(Date.now());
  return () => (day.format(Date.now()) === then ? before : 0);
}
