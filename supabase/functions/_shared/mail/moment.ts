// A time in a mail, as people in Houston say it.
import { TIME_ZONE } from "contract/festival/time-zone";

const format = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  weekday: "long",
  month: "long",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

/** "Monday, November 30 at 3:22 AM Central Time", of an ISO time. */
export const moment = (time: string): string => `${format.format(new Date(time))} Central Time`;
