// Formats amounts, dates and ids for display. Times are in the festival's time zone (PRODUCT 1.3), wherever the
// reader is.
import { formatCents, toCents } from "contract/shop/money";
import { TIME_ZONE } from "contract/festival/time-zone";

const day = formatter({ month: "long", day: "numeric", year: "numeric" });
const moment = formatter({
  month: "short",
  day: "numeric",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const stampParts = formatter({ month: "short", day: "2-digit", year: "numeric" });
const stampTime = formatter({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clock = formatter({ hour: "numeric", minute: "2-digit" });
const dayOnAxis = formatter({ month: "short", day: "numeric" });
const hour = formatter({ hour: "numeric" });
const nextHour = (iso: string) => new Date(Date.parse(iso) + 3_600_000).toISOString();

/** Dollars as the database stores them: "$45.00". */
export function formatPrice(dollars: number | string): string {
  return formatCents(toCents(dollars));
}

/** "June 27, 2025"; "N/A" when there is no date. */
export function formatDay(iso: string | null | undefined): string {
  return withDate(iso, day);
}

/** "Jun 27, 2025, 11:00 AM"; "N/A" when there is no date. */
export function formatMoment(iso: string | null | undefined): string {
  return withDate(iso, moment);
}

/** "Jun 07, 2025"; "N/A" when there is no date. */
export function formatShortDay(iso: string | null | undefined): string {
  return withDate(iso, stampParts);
}

/** "Jun 07, 2025 14:05", for files and the list of orders (PRODUCT 9.4); "N/A" when there is no date. */
export function formatStamp(iso: string | null | undefined): string {
  const day = withDate(iso, stampParts);
  return day === "N/A" ? day : `${day} ${withDate(iso, stampTime)}`;
}

/** "Jun 7", for narrow places. */
export function formatMonthDay(iso: string): string {
  return withDate(iso, dayOnAxis);
}

/** "2 PM", for narrow places. */
export function formatHourShort(iso: string): string {
  return withDate(iso, hour);
}

/** "2 PM to 3 PM": the hour that starts at this time. */
export function formatHour(iso: string): string {
  return `${withDate(iso, hour)} to ${withDate(nextHour(iso), hour)}`;
}

/** "2:05 PM CT": a time today, with the festival's zone. */
export function formatClock(time: number): string {
  return `${clock(time)} CT`;
}

/** "Jun 7, 2025, 2:05 PM CT", for places where the zone is not obvious; "N/A" when there is no date. */
export function formatZonedMoment(iso: string | null | undefined): string {
  const text = formatMoment(iso);
  return text === "N/A" ? text : `${text} CT`;
}

/** The first 8 characters: the order number people see. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** "2 tickets", "1 ticket" */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? singular : plural}`;
}

/** Minutes and seconds left: "14:05"; never below "0:00". */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

type Formatter = (time: number) => string;

/** Created on first use: creating one takes a phone tens of milliseconds, and most pages show no date. */
function formatter(options: Intl.DateTimeFormatOptions): Formatter {
  let format: Intl.DateTimeFormat | undefined;
  return (time) =>
    (format ??= new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, ...options })).format(time);
}

function withDate(iso: string | null | undefined, format: Formatter): string {
  const time = iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(time) ? "N/A" : format(time);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Isolates a user's text within a sentence, so that right-to-left text does not reorder what is next to it. */
export function isolated(words: string): string {
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}
