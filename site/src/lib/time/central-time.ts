// Values of a datetime-local field, which has no time zone. They are in the festival's (PRODUCT 1.3).
import { TIME_ZONE } from "contract/festival/time-zone";

/** "2025-06-01T10:00", or "" for no time. */
export function centralField(iso: string | null): string {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? "" : new Date(wallClock(time)).toISOString().slice(0, 16);
}

/** The time in ISO form, or null for an empty or half-filled field. An hour the clock skips or repeats yields one of the two. */
export function centralMoment(field: string): string | null {
  const wall = Date.parse(`${field}Z`);
  if (Number.isNaN(wall)) return null;
  // Twice, because the first guess may fall on the other side of a clock change.
  let time = wall;
  for (let n = 0; n < 2; n++) time += wall - wallClock(time);
  return new Date(time).toISOString();
}

/** The clock time in Houston at that moment, as if it were UTC. */
function wallClock(time: number): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: TIME_ZONE,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const number = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(
    number("year"),
    number("month") - 1,
    number("day"),
    number("hour"),
    number("minute"),
    number("second"),
  );
}
