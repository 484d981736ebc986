// The form's own rules: how empty fields are sent, how a new item starts, how two versions differ, and how things are labeled.
import type { Content } from "contract/festival/facts";
import { contentOf } from "contract/festival/facts";
import { type SectionId, sectionIds, sectionProblems, type Sections } from "contract/festival/sections";
import type { Problem, Shape } from "contract/festival/shape";

export interface Section {
  id: SectionId;
  /** Published. */
  content: unknown;
  draft: unknown;
  version: number;
  updated_at: string;
  updated_by: string | null;
  published_at: string;
  published_by: string | null;
}

export const sectionNames: Record<SectionId, { name: string; says: string }> = {
  facts: { name: "Date & Place", says: "The facts used on every page, email, calendar and entry code." },
  home: { name: "Home", says: "Stats, activities and the closing section of the home page." },
  schedule: {
    name: "Schedule",
    says: "The lineup and its notes. The home page shows the first four entries.",
  },
  faq: { name: "FAQ", says: "Questions and answers, in groups." },
  map: { name: "Map", says: "The map's areas, with the hours and amenities beside it." },
  tickets: { name: "Tickets", says: "The text around the tickets. Prices and stock are under Inventory." },
  about: { name: "About", says: "The mission, the team and what the festival does for the city." },
  vendors: { name: "Vendors", says: "Why vendors should sell here." },
  sponsors: {
    name: "Sponsors",
    says: "Why companies should sponsor, what each level costs and includes, and who already does.",
  },
  sharing: { name: "Sharing", says: "The picture shown with links in messages and posts." },
};

/** As sent: texts without surrounding blanks, and no empty optional fields. */
export function cleaned(value: unknown, shape: Shape): unknown {
  if (shape.type === "text" && typeof value === "string") return value.trim();
  if (shape.type === "list" && Array.isArray(value)) return value.map((item) => cleaned(item, shape.of));
  if (shape.type !== "fields" || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => {
    const of = shape.fields[name];
    return [name, of ? cleaned(field, of) : field] as const;
  });
  return Object.fromEntries(
    entries.filter(([name, field]) => field !== undefined && !(field === "" && shape.fields[name]?.optional)),
  );
}

/** Once tickets are sold for the festival's code. SQL refuses another one too. */
export function codeProblems({ id, content }: Section, next: unknown): Problem[] {
  const { code } = content as { code?: string };
  if (id !== "facts" || code === (next as { code?: string }).code) return [];
  return [{ path: "code", message: `Tickets were sold under ${code}, so it can't change.` }];
}

/** The initial value of a new list item. */
export function blank(shape: Shape): unknown {
  switch (shape.type) {
    case "text":
      return "";
    case "number":
      return shape.min;
    case "choice":
      return shape.of[0];
    case "list":
      return [];
    case "fields":
      return Object.fromEntries(
        Object.entries(shape.fields).flatMap(([name, field]) =>
          field.optional ? [] : [[name, blank(field)]],
        ),
      );
  }
}

const words: Readonly<Record<string, string>> = {
  organizer: "Organizer",
  starts_at: "Starts",
  ends_at: "Ends",
  transfer_days_before: "Close transfers this many days before the festival",
  code: "Festival code",
  status: "Status",
  moved: "Rescheduled",
  cancelled: "Canceled",
  notice: "Notice above every page",
  postal_code: "Postal code",
  join_title: "Closing heading",
  join_lead: "Closing line",
  days: "Day buttons",
  lead: "Subtitle",
  summary: "For search engines",
  duration: "Minutes",
  type: "Type",
  mission_more: "More about the mission",
  impact_more: "More about the impact",
  at_a_glance: "At a glance",
  email: "Contact email",
  phone: "Contact phone",
  card: "Picture for shared links",
  bbq: "Barbecue smoker",
  cars: "Slab car",
  "first-aid": "First aid",
};

/** "main-entrance" as "Main entrance" */
export function label(name: string): string {
  const text = words[name] ?? name.replace(/[-_]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const hints: Readonly<Record<string, string>> = {
  code: "Part of every entry code, so the gate refuses codes from another festival or year. It can't change once tickets are sold.",
  starts_at:
    "Central Time. Emails, calendars, the gate's doors, sales that end on the festival's days and the transfer deadline follow it.",
  ends_at: "Central Time.",
  status:
    "To cancel or reschedule with emails and refunds, use Cancel or Reschedule above. Canceled stops sales.",
};

export const hint = (name: string): string | undefined => hints[name];

const singulars: Readonly<Record<string, string>> = {
  included: "item",
  at_a_glance: "highlight",
  team: "team member",
  impact: "impact figure",
  hours: "hours",
};

/** "groups" as "group" */
export const singular = (name: string): string =>
  singulars[name] ?? label(name).toLowerCase().replace(/ies$/, "y").replace(/s$/, "");

/** The title of a list item in its row. */
export function titleOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return "";
  const {
    time,
    title,
    question,
    name,
    day,
    label: text,
    level,
    figure,
    words: said,
  } = item as Record<string, string>;
  const named =
    title ?? question ?? name ?? day ?? text ?? level ?? said ?? figure ?? (item as { text?: string }).text;
  return [time, named].filter(Boolean).join(" ");
}

export interface Difference {
  path: string;
  mine: string;
  theirs: string;
}

/** Each place where two versions differ. */
export function differences(mine: unknown, theirs: unknown, path = ""): Difference[] {
  if (JSON.stringify(mine) === JSON.stringify(theirs)) return [];
  const both = [mine, theirs];
  if (
    !both.every(
      (one) => typeof one === "object" && one !== null && Array.isArray(one) === Array.isArray(mine),
    )
  )
    return [{ path, mine: spoken(mine), theirs: spoken(theirs) }];
  const [a, b] = both as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differences(a[key], b[key], path === "" ? key : `${path}.${key}`),
  );
}

const spoken = (value: unknown): string =>
  value === undefined || value === ""
    ? "nothing"
    : typeof value === "object"
      ? titleOf(value) || "…"
      : JSON.stringify(value).replace(/^"|"$/g, "");

/** "entries.2.title" as "Entries 3, title" */
export const spokenPath = (path: string): string =>
  label(
    path
      .split(".")
      .map((part) =>
        /^\d+$/.test(part)
          ? `${Number(part) + 1},`
          : (words[part]?.toLowerCase() ?? part.replaceAll("_", " ")),
      )
      .join(" ")
      .replace(/,$/, ""),
  );

/** The content that pages would show with this section; undefined while something is wrong with it. */
export function previewOf(
  published: Partial<Sections>,
  id: SectionId,
  content: unknown,
): Content | undefined {
  if (sectionProblems(id, content).length > 0) return undefined;
  return contentOf({ ...published, [id]: content });
}

export const publishedOf = (sections: readonly Section[]): Partial<Sections> =>
  Object.fromEntries(sections.map(({ id, content }) => [id, content]));

export const isSectionId = (text: string | null): text is SectionId => sectionIds.some((id) => id === text);
