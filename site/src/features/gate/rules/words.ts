// The gate's texts for each result and state, readable at arm's length in the sun.
import type { GateEntrance, GateResult, GateScanAnswer, GateSettings } from "contract/gate";
import { TIME_ZONE } from "contract/festival/time-zone";
import { count } from "#lib/format.ts";
import { CANCELLED, type Verdict } from "./decide.ts";

/** The look of a result: go, stop, check again, out, done. Each has a color, a shape and a word. */
export type Tone = "go" | "stop" | "wait" | "out" | "plain";

export const resultWords: Readonly<Record<GateResult, { readonly word: string; readonly tone: Tone }>> = {
  admitted: { word: "Admit", tone: "go" },
  let_out: { word: "Out", tone: "out" },
  undone: { word: "Undone", tone: "plain" },
  already_in: { word: "Already in", tone: "stop" },
  void: { word: "Void", tone: "stop" },
  old_code: { word: "Old code", tone: "stop" },
  unknown: { word: "Unknown", tone: "stop" },
  not_today: { word: "Not now", tone: "wait" },
  closed: { word: "Closed", tone: "wait" },
  wrong_entrance: { word: "Wrong entrance", tone: "wait" },
  not_inside: { word: "Not inside", tone: "wait" },
};

/** A code that a keyboard scanner read in parts. */
export const FRAGMENT = "fragment";

/** Something failed on this device before there was a response. */
export const FAILED = "failed";

export function wordsOf({ result, detail }: Pick<Verdict, "result" | "detail">) {
  if (detail === FRAGMENT || detail === FAILED) return { word: "Scan again", tone: "wait" } as const;
  if (detail === CANCELLED) return { word: "Canceled", tone: "stop" } as const;
  return resultWords[result];
}

const clockTime = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  hour: "numeric",
  minute: "2-digit",
});
const dayAndTime = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  month: "long",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const day = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, dateStyle: "short" });

export const timeOf = (at: number): string => clockTime.format(at);

/** With the day, unless it is today. */
export const whenOf = (at: number, now: number): string =>
  (day.format(at) === day.format(now) ? clockTime : dayAndTime).format(at);

/** More recent times are shown in seconds: usually the same code was read twice. */
const JUST_NOW_MS = 100_000;

const sinceOf = (at: number, now: number): string =>
  now - at >= 0 && now - at < JUST_NOW_MS
    ? `Admitted ${count(Math.max(1, Math.round((now - at) / 1000)), "second")} ago`
    : `Admitted ${whenOf(at, now)}`;

/** The reason in a sentence; undefined when the result word is enough. */
export function explain(verdict: Verdict, now: number): string | undefined {
  switch (verdict.result) {
    case "already_in":
    case "admitted": {
      const { first } = verdict;
      if (!first) return undefined;
      const where = [first.entrance, first.device].filter(Boolean).join(", ");
      return `${sinceOf(first.at, now)}${where ? `, ${where}` : ""}`;
    }
    case "void":
      return "This ticket is no longer valid.";
    case "old_code":
      return verdict.detail === "transferred"
        ? "This ticket was transferred to someone else. The old code is no longer valid."
        : "This ticket has a newer code. Ask for the one in the newest email or under My Tickets.";
    case "unknown":
      return unknownWords[verdict.detail ?? ""] ?? "This code is not for this festival.";
    case "not_today":
      if (verdict.opens_at && now < verdict.opens_at) return `Doors open ${whenOf(verdict.opens_at, now)}`;
      return verdict.closes_at ? `Doors closed ${whenOf(verdict.closes_at, now)}` : "The doors are closed.";
    case "closed":
      if (verdict.detail === CANCELLED) return "The festival is canceled. Admit no guests.";
      return "This entrance is closed. Send guests to another one.";
    case "wrong_entrance":
      return verdict.entrances?.length
        ? `Send to ${verdict.entrances.join(" or ")}`
        : "No open entrance admits this type.";
    case "not_inside":
      return "No guest is inside with this code.";
    case "let_out":
      return "Can come back in with the same code.";
    case "undone":
      return undefined;
    default:
      return verdict.result satisfies never;
  }
}

const unknownWords: Readonly<Record<string, string>> = {
  forged: "This code is not signed by us. Do not admit.",
  cut: "Only part of the code was read. Show the whole code and scan again.",
  other_festival: "This code is for another festival.",
  not_in_books: "The code is ours, but the ticket does not exist.",
  malformed: "This code is not for this festival.",
  not_recorded: "The server could not record this scan. An administrator can find it in the audit log.",
  [FRAGMENT]: "Code incomplete. Scan again.",
  [FAILED]: "Something went wrong on this phone. Scan again before admitting anyone.",
};

/** Why no one can be let in here now; undefined while the doors are open. */
export function closedWords(
  { doors_open_at, doors_close_at, is_cancelled }: GateSettings,
  entrance: GateEntrance | undefined,
  now: number,
): string | undefined {
  if (is_cancelled) return "The festival is canceled. Admit no guests.";
  if (entrance && !entrance.is_open) return "This entrance is closed. Admit no guests here.";
  if (doors_open_at !== null && now < doors_open_at) return `Doors open ${whenOf(doors_open_at, now)}.`;
  if (doors_close_at !== null && now >= doors_close_at) return `Doors closed ${whenOf(doors_close_at, now)}.`;
  return undefined;
}

/** What the ticket includes, for an admitted person. */
export function includesOf(person: GateScanAnswer["person"]): string | undefined {
  if (!person?.is_vip) return undefined;
  return person.includes_parking ? "VIP, parking included" : "VIP";
}
