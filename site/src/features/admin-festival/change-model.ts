// The parts of cancelling or moving the day, and the default texts.
import type { SectionOf } from "contract/festival/sections";
import { formatCents } from "contract/shop/money";
import { count, formatDay } from "#lib/format.ts";
import { centralMoment } from "#lib/time/central-time.ts";
import type { ChangePreview } from "./change-queries.ts";

export type Facts = SectionOf<"facts">;

export interface Change {
  readonly kind: "moved" | "cancelled";
  /** "2025-07-04T11:00", in the festival's local time. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly notice: string;
  readonly refunds: "everybody" | "on_request" | "none";
  /** The last day on which buyers may request a refund. */
  readonly askUntil: string;
  readonly subject: string;
  readonly body: string;
}

/** Default texts; organisers edit them as they like. */
export function firstWords(
  kind: Change["kind"],
  { title }: Facts,
): Pick<Change, "notice" | "subject" | "body"> {
  if (kind === "cancelled") {
    return {
      notice: `${title} will not take place. Everybody who bought tickets has mail from us.`,
      subject: `${title} is cancelled`,
      body: `We are sorry: ${title} will not take place.\n\nTickets and parking admit nobody any more.`,
    };
  }
  return {
    notice: `${title} has moved. Your tickets are valid on the new day.`,
    subject: `${title} has a new date`,
    body: `${title} has moved to another day. The new date stands below and on our pages.\n\nYour tickets and parking stay valid: show the same codes on the new day.`,
  };
}

/** What the form begins with. */
export const blankChange = (facts: Facts): Change => ({
  kind: "moved",
  startsAt: facts.starts_at,
  endsAt: facts.ends_at,
  refunds: "on_request",
  askUntil: "",
  ...firstWords("moved", facts),
});

export function changedFacts(facts: Facts, change: Change): Facts {
  return {
    ...facts,
    ...(change.kind === "moved" && { starts_at: change.startsAt, ends_at: change.endsAt }),
    status: change.kind,
    notice: change.notice.trim(),
  };
}

/** What publishing these facts does to people who hold tickets. */
export function changeIn(before: Facts, after: Facts): Change["kind"] | undefined {
  if (after.status === "cancelled" && before.status !== "cancelled") return "cancelled";
  const isMoved = before.starts_at !== after.starts_at || before.ends_at !== after.ends_at;
  return isMoved || (after.status === "moved" && before.status !== "moved") ? "moved" : undefined;
}

/** Missing or wrong input, by field. */
export function problemsOf(change: Change, facts: Facts): Partial<Record<keyof Change, string>> {
  const { kind, startsAt, endsAt, notice, refunds, askUntil, subject, body } = change;
  return {
    ...(kind === "moved" && startsAt === facts.starts_at && { startsAt: "Enter the new date." }),
    ...(kind === "moved" && endsAt <= startsAt && { endsAt: "The festival must end after it starts." }),
    ...(notice.trim() === "" && { notice: "Say on the site what has changed." }),
    ...(refunds === "on_request" && askUntil === "" && { askUntil: "Choose a day." }),
    ...(subject.trim() === "" && { subject: "Enter a subject." }),
    ...(body.trim() === "" && { body: "Write what people should know." }),
  };
}

/** What refunds do not cover: comps, and door sales. */
export function untouchedWords({ comps, door_orders, door_cents }: ChangePreview): string[] {
  return [
    ...(comps > 0 ? [`${count(comps, "comp")} cost nothing, so nothing goes back.`] : []),
    ...(door_orders > 0
      ? [
          `${count(door_orders, "door sale")} worth ${formatCents(door_cents)} ${door_orders === 1 ? "stays: void it" : "stay: void each"} at its order to give the money back.`,
        ]
      : []),
  ];
}

/** The last minute of a day in Houston, wherever the organiser is; null when there is no day. */
export const endOfDay = (day: string): string | null => centralMoment(`${day}T23:59`);

const dayWords = (day: string) => (day === "" ? "the day you choose" : formatDay(endOfDay(day)));

/** What the mail adds below the text, matching SQL and the mail template. */
export function addedToMail({ kind, refunds, askUntil }: Change): string[] {
  return [
    ...(kind === "moved" ? ["The new day and hours, with links to put them into a calendar."] : []),
    ...(refunds === "on_request"
      ? [
          `To buyers: that they may have the money back under My Tickets until the end of ${dayWords(askUntil)}.`,
        ]
      : []),
    ...(refunds === "everybody" ? ["To buyers: that the money goes back to the card they paid with."] : []),
    ...(refunds === "none" ? [] : ["To guests with comps: that nothing was paid, so nothing goes back."]),
    "A link to My Tickets.",
  ];
}
