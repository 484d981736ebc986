// Dates on documents, in the festival's time zone.
import { TIME_ZONE } from "contract/festival/time-zone";

/** "June 27, 2025 at 6:30 PM" */
export function momentText(at: Date): string {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: TIME_ZONE,
    dateStyle: "long",
    timeStyle: "short",
  }).format(at);
}

/** "June 27, 2025" */
export function dayText(at: Date): string {
  return new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, dateStyle: "long" }).format(at);
}
