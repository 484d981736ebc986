// Parses a pasted guest list: one guest per line, name and address in either order. Problems are reported line by line. The database
// checks the list again.
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { doorLimits } from "contract/door";
import { attendeeSchema } from "contract/schemas";
import { z } from "zod";

export interface Guest {
  name: string;
  email: string;
}

export interface GuestLine {
  /** Counted from 1 as pasted. Empty lines are left out. */
  line: number;
  text: string;
  guest?: Guest;
  problem?: string;
  /** Worth a look, but does not block issuing. */
  note?: string;
}

/**
 * "Ana Reyes, ana@people.test", "Ana Reyes <ana@people.test>", or the columns of a spreadsheet. A line with several addresses, as mail
 * programs copy recipients, is split at each.
 */
export function readGuests(pasted: string): GuestLine[] {
  const seen = new Map<string, number>();
  return pasted
    .split(/\r?\n/)
    .flatMap((row, index) => guestsOf(row).map((text) => ({ line: index + 1, text })))
    .map(({ line, text }): GuestLine => {
      const guest = guestOf(text);
      const checked = attendeeSchema.safeParse(guest);
      if (!checked.success) {
        return { line, text, problem: guest.email ? checked.error.issues[0]!.message : "Email is missing" };
      }
      if (guest.name.includes("@")) return { line, text, problem: "A name cannot contain @" };
      const key = guest.email.toLowerCase();
      const before = seen.get(key);
      seen.set(key, before ?? line);
      return { line, text, guest, ...(before && { note: `Same email as line ${before}` }) };
    });
}

const addressed = /[^\s,;<>"]+@[^\s,;<>"]+>?/g;

/** Each guest of a line, cut after the address, or before it where the line begins with one. */
function guestsOf(row: string): string[] {
  const found = [...row.matchAll(addressed)];
  if (found.length < 2) return row.trim() === "" ? [] : [row.trim()];
  const isFirst = row.slice(0, found[0]!.index).replaceAll(/[\s,;<"]/g, "") === "";
  const cuts = isFirst
    ? found.slice(1).map(({ index }) => index)
    : found.slice(0, -1).map((match) => match.index + match[0].length);
  return [0, ...cuts].map((from, nth) => row.slice(from, cuts[nth]).replaceAll(/^[\s,;]+|[\s,;<]+$/g, ""));
}

function guestOf(text: string): Guest {
  const parts = text
    .split(/[,;\t<>]/)
    .map((part) => part.replaceAll('"', "").trim())
    .filter(Boolean);
  const email =
    parts.find((part) => /^\S+@\S+$/.test(part)) ?? parts.find((part) => part.includes("@")) ?? "";
  return { name: parts.filter((part) => part !== email).join(" "), email };
}

/** What is wrong with the one guest, by field. */
export function guestProblems({ name, email }: Guest): Partial<Guest> {
  const issues = attendeeSchema.safeParse({ name, email: email.trim() }).error?.issues ?? [];
  return Object.fromEntries(issues.toReversed().map(({ path, message }) => [path[0], message]));
}

/** Why the list cannot be issued, or undefined. */
export function listProblem(lines: readonly GuestLine[]): string | undefined {
  const bad = lines.filter(({ problem }) => problem).map(({ line }) => line);
  if (lines.length === 0) return "Add at least one guest.";
  if (bad.length > 0) {
    const shown = bad.slice(0, 5).join(", ");
    return `Fix ${bad.length === 1 ? "line" : "lines"} ${shown}${bad.length > 5 ? " and more" : ""} first. No comps were issued.`;
  }
  if (lines.length > doorLimits.guests) {
    return `Limit: ${doorLimits.guests} guests per list. This one has ${lines.length}.`;
  }
  return undefined;
}

/** An issue that was sent but not answered. */
export const unansweredIssue = z.object({
  userId: z.string(),
  /** The key it was sent under. */
  key: z.uuid(),
  pasting: z.boolean(),
  typed: z.object({
    typeId: z.string(),
    reason: z.string(),
    name: z.string(),
    email: z.string(),
    list: z.string(),
  }),
});
export type UnansweredIssue = z.infer<typeof unansweredIssue>;
export type Typed = UnansweredIssue["typed"];

export const compStates = [
  { value: "valid", label: "Not checked in" },
  { value: "in", label: "Checked in" },
  { value: "revoked", label: "Revoked" },
] as const;
type CompState = (typeof compStates)[number]["value"];

export function isCompState(value: string): value is CompState {
  return compStates.some((state) => state.value === value);
}

export const stateTone: Record<CompState, BadgeTone> = { valid: "default", in: "success", revoked: "danger" };

export const comp = z.object({
  /** The order's id. */
  id: z.string(),
  created_at: z.string(),
  name: z.string(),
  email: z.string(),
  type: z.string(),
  reason: z.string(),
  issued_by: z.string(),
  revoke_reason: z.string().nullable(),
  state: z.enum(["valid", "in", "revoked"]),
  includes_parking: z.boolean(),
});
export type Comp = z.infer<typeof comp>;

export interface CompFilter {
  search: string;
  state: CompState | undefined;
}
