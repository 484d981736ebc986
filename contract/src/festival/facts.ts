// The festival as pages, mails, calendars and structured data show it. Everything derived from its published facts is
// computed here, once, where pages are rendered. A browser receives the result with the page.
import { type FactName, type SectionId, sectionIds, type SectionOf, type Sections } from "./sections.ts";
import { TIME_ZONE } from "./time-zone.ts";

export interface Festival {
  readonly title: string;
  readonly tagline: string;
  readonly organizer: string;
  readonly description: string;
  /** Its first day, "2025-06-27". */
  readonly date: string;
  /** "June 27, 2025" or "June 27 to 28, 2025" */
  readonly dateText: string;
  /** In the footer's style: "June 27th, 2025" */
  readonly dateTextOrdinal: string;
  /** The first day, in the parts of a date stamp. */
  readonly badge: { readonly month: string; readonly day: string; readonly year: string };
  /** "11:00 AM" */
  readonly opensText: string;
  /** "11:00 AM to 10:00 PM" */
  readonly hoursText: string;
  /** With the time zone's offset on that day. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly grounds: string;
  readonly contact: {
    readonly email: string;
    readonly phone: string;
    readonly street: string;
    readonly city: string;
    readonly region: string;
    readonly postalCode: string;
  };
  readonly contactAddress: string;
  readonly transferDays: number;
  /** When its facts were last published; null until they are published for the first time. */
  readonly publishedAt: string | null;
  readonly status: SectionOf<"facts">["status"];
  /** The notice above every page, if any. */
  readonly notice: string | null;
  /** Signed into every entry code, so another festival's gate refuses it. */
  readonly code: string;
}

/** What pages show: the facts, and every other section with the facts filled in. */
export type Content = { readonly festival: Festival } & {
  readonly [Id in Exclude<SectionId, "facts">]: SectionOf<Id>;
};

/** The response of `get_festival`. */
export type PublishedSections = Partial<Sections> & { readonly published_at?: string | null };

/** @throws TypeError when a section is missing */
export function contentOf({ published_at: publishedAt, ...sections }: PublishedSections): Content {
  const missing = sectionIds.filter((id) => sections[id] === undefined);
  if (missing.length > 0) throw new TypeError(`The festival has no ${missing.join(", ")}`);
  const { facts, ...others } = sections as Sections;
  const festival = festivalOf(facts, publishedAt);
  const words = wordsOf(festival);
  return {
    festival,
    ...(fill(others, words) as Omit<Sections, "facts">),
  };
}

export function festivalOf(facts: SectionOf<"facts">, publishedAt: string | null = null): Festival {
  const { title, tagline, organizer, description, starts_at, ends_at, email, phone, street, city, region } =
    facts;
  const first = dayOf(starts_at);
  const last = dayOf(ends_at);
  return {
    title,
    tagline,
    organizer,
    description,
    date: starts_at.slice(0, 10),
    dateText: daysText(first, last, String),
    dateTextOrdinal: daysText(first, last, ordinal),
    badge: { month: first.month, day: String(first.day), year: String(first.year) },
    opensText: clockText(starts_at),
    hoursText: `${clockText(starts_at)} to ${clockText(ends_at)}`,
    startsAt: withOffset(starts_at),
    endsAt: withOffset(ends_at),
    grounds: facts.place,
    contact: { email, phone, street, city, region, postalCode: facts.postal_code },
    contactAddress: `${street}, ${city}, ${region} ${facts.postal_code}`,
    transferDays: facts.transfer_days_before,
    publishedAt,
    status: facts.status,
    notice: facts.notice ?? null,
    code: facts.code,
  };
}

const wordsOf = (festival: Festival): Record<FactName, string> => ({
  festival: festival.title,
  tagline: festival.tagline,
  organizer: festival.organizer,
  date: festival.dateText,
  opens: festival.opensText,
  closes: festival.hoursText.slice(festival.opensText.length + " to ".length),
  hours: festival.hoursText,
  place: festival.grounds,
  city: festival.contact.city,
  email: festival.contact.email,
  phone: festival.contact.phone,
  transfer_days: String(festival.transferDays),
});

function fill(value: unknown, words: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string")
    return value.replace(/\{([a-z_]+)\}/g, (written, name: string) => words[name] ?? written);
  if (Array.isArray(value)) return value.map((item) => fill(item, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, words)]));
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

interface Day {
  readonly year: number;
  readonly month: string;
  readonly day: number;
}

function dayOf(moment: string): Day {
  const [year, month, day] = moment.slice(0, 10).split("-").map(Number) as [number, number, number];
  return { year, month: MONTHS[month - 1]!, day };
}

/** "June 27, 2025", "June 27 to 28, 2025", "June 30 to July 1, 2025" */
function daysText(first: Day, last: Day, number: (day: number) => string): string {
  const from = `${first.month} ${number(first.day)}`;
  if (first.year !== last.year)
    return `${from}, ${first.year} to ${last.month} ${number(last.day)}, ${last.year}`;
  if (first.month !== last.month) return `${from} to ${last.month} ${number(last.day)}, ${last.year}`;
  return first.day === last.day ? `${from}, ${first.year}` : `${from} to ${number(last.day)}, ${last.year}`;
}

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}

/** "2025-06-27T18:30" as "6:30 PM" */
function clockText(moment: string): string {
  const hour = Number(moment.slice(11, 13));
  return `${hour % 12 === 0 ? 12 : hour % 12}:${moment.slice(14, 16)} ${hour < 12 ? "AM" : "PM"}`;
}

/** Made once: making it takes ten times as long as using it. */
const offsets = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, timeZoneName: "longOffset" });

/** "2025-06-27T11:00" as "2025-06-27T11:00:00-05:00" */
function withOffset(moment: string): string {
  const name = offsets
    .formatToParts(new Date(`${moment}:00-06:00`))
    .find(({ type }) => type === "timeZoneName");
  return `${moment}:00${name!.value.replace("GMT", "")}`;
}
