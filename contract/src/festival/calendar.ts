// The festival as a calendar entry: a file that follows its published facts, and a link for Google Calendar. Times are in UTC, so
// no calendar needs to know the festival's time zone.
import type { Festival } from "./facts.ts";
import { TIME_ZONE } from "./time-zone.ts";

/** When the built-in texts were written. Used until something is published. */
const FIRST = "2025-01-01T00:00:00Z";

/** "2025-06-27T11:00:00-05:00" as "20250627T160000Z" */
const utc = (time: string) => new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");

const place = ({ grounds, contactAddress }: Festival) => `${grounds}, ${contactAddress}`;

/** RFC 5545. The UID stays the same and SEQUENCE grows, so a moved date updates the entry a calendar already has. */
export function calendarFile(festival: Festival, origin: string): string {
  const isCancelled = festival.status === "cancelled";
  const revised = festival.publishedAt ?? FIRST;
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//${text(festival.organizer)}//${text(festival.title)}//EN`,
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    `UID:${festival.code}@houston-culture-festival`,
    `SEQUENCE:${Math.floor((Date.parse(revised) - Date.parse(FIRST)) / 1000)}`,
    `DTSTAMP:${utc(revised)}`,
    `LAST-MODIFIED:${utc(revised)}`,
    `DTSTART:${utc(festival.startsAt)}`,
    `DTEND:${utc(festival.endsAt)}`,
    // A calendar that follows the file then shows the day as cancelled.
    `STATUS:${isCancelled ? "CANCELLED" : "CONFIRMED"}`,
    `SUMMARY:${text(isCancelled ? `Canceled: ${festival.title}` : festival.title)}`,
    `DESCRIPTION:${text(`${festival.tagline}\n${origin}`)}`,
    `LOCATION:${text(place(festival))}`,
    `URL:${origin}/`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]
    .map(folded)
    .join("\r\n");
}

/** Opens Google Calendar with the entry prefilled. */
export function googleCalendarLink(festival: Festival, origin: string): string {
  const asked = new URLSearchParams({
    action: "TEMPLATE",
    text: festival.title,
    dates: `${utc(festival.startsAt)}/${utc(festival.endsAt)}`,
    ctz: TIME_ZONE,
    location: place(festival),
    // Guests open it too, and they have no account to find tickets in.
    details: `${festival.tagline}\n${origin}`,
  });
  return `https://calendar.google.com/calendar/render?${asked.toString()}`;
}

const text = (value: string) => value.replace(/([\\,;])/g, "\\$1").replaceAll("\n", "\\n");

/** At most 75 bytes per line, never splitting a character. A continuation line begins with a space. */
function folded(line: string): string {
  const bytes = (letters: string) => new TextEncoder().encode(letters).length;
  let out = "";
  let length = 0;
  for (const letter of line) {
    const size = bytes(letter);
    if (length + size > 75) {
      out += "\r\n ";
      length = 1;
    }
    out += letter;
    length += size;
  }
  return out;
}
