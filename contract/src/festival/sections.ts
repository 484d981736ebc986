// What an organiser may edit of the festival, section by section, with its bounds. SQL has the same shapes
// (`festival_shapes`), and a test compares them. Texts are plain text: a page shows what was typed and never runs it.
import { pictureSizes } from "./pictures.ts";
import { type Of, type PictureKind, type Problem, problemsOf, type Shape } from "./shape.ts";

const text = <const Max extends number>(max: Max) => ({ type: "text", max }) as const;
const several = <const Max extends number>(max: Max) => ({ type: "text", max, lines: true }) as const;
const list = <const S extends Shape>(max: number, of: S) => ({ type: "list", max, of }) as const;
const fields = <const F extends Readonly<Record<string, Shape>>>(of: F) =>
  ({ type: "fields", fields: of }) as const;
const unique = <const F extends string, const S extends Shape>(field: F, max: number, of: S) =>
  ({ type: "list", max, of, unique: field }) as const;
const choice = <const C extends readonly string[]>(...of: C) => ({ type: "choice", of }) as const;

/**
 * A file in the bucket `festival-pictures`. Publishing checks that it exists. Without it, a page shows its built-in
 * picture.
 */
const picture = <const K extends PictureKind, const F extends Readonly<Record<string, Shape>>>(
  kind: K,
  more: F,
) =>
  ({
    type: "fields",
    picture: kind,
    optional: true,
    fields: {
      file: {
        type: "text",
        max: 41,
        pattern: "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](jpg|png|webp)",
        like: "nothing: choose a picture",
      },
      ...more,
    },
  }) as const;

const CLOCK = "(1[0-2]|[1-9]):[0-5][0-9] (AM|PM)";
const MOMENT = "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]";
/** In the festival's local time. */
const moment = { type: "text", max: 16, pattern: MOMENT, like: "a date and a time" } as const;

export const festivalShapes = {
  facts: fields({
    title: text(60),
    tagline: text(60),
    description: text(300),
    organiser: text(60),
    starts_at: moment,
    ends_at: moment,
    place: text(60),
    street: text(80),
    city: text(40),
    region: text(20),
    postal_code: text(12),
    email: {
      type: "text",
      max: 120,
      format: "email",
      like: "an email address like hello@festival.example",
    },
    phone: {
      type: "text",
      max: 24,
      pattern: "[0-9+(][0-9 ().-]{6,23}",
      like: "a phone number like (713) 555-0127",
    },
    transfer_days_before: { type: "number", min: 0, max: 365 },
    code: {
      type: "text",
      max: 30,
      pattern: "[a-z][a-z0-9]*(-[a-z0-9]+)+",
      like: "small letters, digits and a hyphen, like hcf-2025",
    },
    status: choice("planned", "moved", "cancelled"),
    /** Shown above every page. */
    notice: { type: "text", max: 300, optional: true },
  }),
  home: fields({
    lead: text(160),
    stats: list(6, fields({ figure: text(8), label: text(20) })),
    about: text(300),
    activities: list(
      6,
      fields({
        picture: choice("bbq", "market", "dancing", "slabs", "bull"),
        title: text(48),
        description: text(240),
      }),
    ),
    days: list(4, text(16)),
    join_title: text(48),
    join_lead: text(160),
  }),
  schedule: fields({
    summary: text(200),
    lead: text(200),
    entries: list(
      200,
      fields({
        time: { type: "text", max: 8, pattern: CLOCK, like: "a time like 6:30 PM" },
        title: text(80),
        performer: { type: "text", max: 80, optional: true },
        location: text(48),
        duration: { type: "number", min: 1, max: 1440 },
        type: choice("music", "food", "activity"),
      }),
    ),
    notes: list(12, text(240)),
  }),
  faq: fields({
    lead: text(200),
    groups: list(
      12,
      fields({
        title: text(60),
        questions: list(40, fields({ question: text(160), answer: several(1500) })),
      }),
    ),
  }),
  map: fields({
    summary: text(200),
    hours: list(5, fields({ day: text(20), hours: text(24) })),
    areas: unique(
      "place",
      5,
      fields({
        place: choice("main-stage", "food-court", "purple-room", "vendor-area", "main-entrance"),
        name: text(16),
        description: text(300),
        tip: { type: "text", max: 160, optional: true },
      }),
    ),
    amenities: list(
      8,
      fields({ sign: choice("restrooms", "first-aid", "water", "charging"), text: text(80) }),
    ),
  }),
  tickets: fields({
    lead: text(300),
    included: list(
      10,
      fields({
        icon: choice("music", "food", "cars", "market", "dance"),
        title: text(48),
        text: text(200),
      }),
    ),
    questions: list(10, fields({ question: text(160), answer: several(800) })),
    at_a_glance: list(6, text(80)),
  }),
  about: fields({
    lead: text(300),
    mission: text(200),
    mission_more: several(800),
    organizers: list(4, several(600)),
    team: list(
      6,
      fields({ name: text(40), role: text(60), words: text(300), portrait: choice("hoops", "hat") }),
    ),
    impact: list(6, fields({ figure: text(8), words: text(120) })),
    impact_more: several(800),
  }),
  vendors: fields({ lead: text(300), benefits: list(8, fields({ title: text(48), text: text(200) })) }),
  sponsors: fields({
    lead: text(300),
    benefits: list(8, fields({ title: text(48), text: text(200) })),
    levels: unique(
      "level",
      4,
      fields({
        level: choice("silver", "gold", "platinum", "custom"),
        price: text(20),
        perks: list(10, text(80)),
      }),
    ),
    sponsors: list(
      40,
      fields({
        name: text(60),
        logo: picture("logo", {
          width: { type: "number", min: 1, max: pictureSizes.logo.width },
          height: { type: "number", min: 1, max: pictureSizes.logo.height },
        }),
      }),
    ),
  }),
  sharing: fields({ card: picture("card", { alt: text(200) }) }),
} as const;

export type SectionId = keyof typeof festivalShapes;
export type SectionOf<Id extends SectionId> = Of<(typeof festivalShapes)[Id]>;
export type Sections = { readonly [Id in SectionId]: SectionOf<Id> };
export const sectionIds = Object.keys(festivalShapes) as readonly SectionId[];

/** Facts that a text may name in braces, so that a moved date is updated everywhere: "Gates open at {opens}." */
export const factNames = [
  "festival",
  "tagline",
  "organizer",
  "date",
  "opens",
  "closes",
  "hours",
  "place",
  "city",
  "email",
  "phone",
  "transfer_days",
] as const;

export type FactName = (typeof factNames)[number];

const MOST_DAYS = 14;

/** What is wrong with a section, field by field. `check_festival_section` checks the same in SQL. */
export function sectionProblems(id: SectionId, content: unknown): Problem[] {
  const problems = problemsOf(content, festivalShapes[id], id === "facts" ? [] : factNames);
  return id === "facts" && problems.length === 0 ? daysProblem(content as SectionOf<"facts">) : problems;
}

function daysProblem({ starts_at, ends_at }: SectionOf<"facts">): Problem[] {
  const wrong = [["starts_at", starts_at] as const, ["ends_at", ends_at] as const].filter(
    ([, moment]) => !isDay(moment.slice(0, 10)),
  );
  if (wrong.length > 0) return wrong.map(([path]) => ({ path, message: "This date does not exist." }));
  const length = Date.parse(`${ends_at}Z`) - Date.parse(`${starts_at}Z`);
  if (length <= 0) return [{ path: "ends_at", message: "The festival must end after it starts." }];
  if (length > MOST_DAYS * 86_400_000)
    return [{ path: "ends_at", message: `The festival lasts at most ${MOST_DAYS} days.` }];
  return [];
}

function isDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}
