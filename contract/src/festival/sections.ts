// What an organizer may edit of the festival, section by section, with its bounds. Texts are plain text: a page shows what was typed
// and never runs it.
import { factNames, festivalShapes } from "./section-shapes.ts";
import { type Of, type Problem, problemsOf } from "./shape.ts";

export { factNames, festivalShapes };

export type SectionId = keyof typeof festivalShapes;
export type SectionOf<Id extends SectionId> = Of<(typeof festivalShapes)[Id]>;
export type Sections = { readonly [Id in SectionId]: SectionOf<Id> };
export const sectionIds = Object.keys(festivalShapes) as readonly SectionId[];

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
