// Days in Houston, for tests that may run across its midnight.
import { TIME_ZONE } from "contract/festival/time-zone";

const day = new Intl.DateTimeFormat("en-CA", { timeZone: TIME_ZONE });

/** 25 hours from now: this is no longer today, even on the day the clocks go back. */
export const tomorrow = (): string => day.format(Date.now() + 25 * 3_600_000);

/**
 * For how much a figure of today has grown. Call it before the page opens. If midnight has passed since, the figure
 * restarted at zero and shows nothing, so any growth is enough.
 */
export function untilMidnight(): (growth: number) => number {
  const begun = day.format(Date.now());
  return (growth) => (day.format(Date.now()) === begun ? growth : Infinity);
}
