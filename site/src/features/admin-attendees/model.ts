// Every ticket with its attendee, and the order of names on paper.
import { count } from "#lib/format.ts";
import type { ListPage } from "#lib/lists/list-pages.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { z } from "zod";

export const attendeeStates = [
  { value: "absent", label: "Not checked in" },
  { value: "in", label: "Checked in" },
  { value: "void", label: "Void" },
  { value: "transferred", label: "Transferred" },
] as const;
type AttendeeState = "absent" | "in" | "void";

export const channelNames = [
  { value: "online", label: "Online" },
  { value: "door", label: "Door" },
  { value: "comp", label: "Comps" },
] as const;

export const stateTone: Record<AttendeeState, BadgeTone> = {
  absent: "default",
  in: "success",
  void: "danger",
};

export const attendee = z.object({
  /** The ticket's id. */
  id: z.string(),
  order_id: z.string(),
  ordered_at: z.string(),
  name: z.string(),
  email: z.string(),
  type: z.string(),
  channel: z.enum(["online", "door", "comp"]),
  buyer: z.string(),
  checked_in_at: z.string().nullable(),
  voided_at: z.string().nullable(),
  state: z.enum(["absent", "in", "void"]),
});
export type Attendee = z.infer<typeof attendee>;

export interface AttendeePage extends ListPage<Attendee> {
  /** Of the total; null where they are not counted. */
  voided: number | null;
}

export interface AttendeeFilter {
  search: string;
  type: string | undefined;
  channel: string | undefined;
  state: string | undefined;
}

export const nameOf = (options: readonly { value: string; label: string }[], value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

/** "406 valid, 3 void": the list shows both. */
export function tallyText({
  total,
  exact,
  voided,
}: Pick<AttendeePage, "total" | "exact" | "voided">): string {
  const tickets = `${count(total, "ticket")}${exact ? "" : " or more"}`;
  if (!voided) return tickets;
  const isVoid = `${voided.toLocaleString("en-US")} void`;
  return exact ? `${(total - voided).toLocaleString("en-US")} valid, ${isVoid}` : `${tickets}, ${isVoid}`;
}

/** "Reyes, Ana Maria": people say their last name at a door. A suffix stays with it: "King Jr., Martin". */
export function paperName(name: string): string {
  const [, first, last] = /^(.*?)\s+(\S+(?:\s+(?:jr|sr|ii|iii|iv)\.?)?)$/i.exec(name.trim()) ?? [];
  return first && last ? `${last}, ${first}` : name.trim();
}

export interface PaperRow {
  id: string;
  name: string;
  type: string;
  order: string;
  isIn: boolean;
}

/** In alphabetical order, ignoring accents and case, as a person looks for a name. */
export function paperRows(attendees: readonly Attendee[]): PaperRow[] {
  const { compare } = new Intl.Collator("en-US", { sensitivity: "base", numeric: true });
  return attendees
    .filter(({ state, channel }) => state !== "void" && channel !== "door")
    .map(({ id, name, type, order_id: order, state }) => ({
      ...{ id, name: paperName(name), type, order },
      isIn: state === "in",
    }))
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.type, b.type) || compare(a.id, b.id));
}
