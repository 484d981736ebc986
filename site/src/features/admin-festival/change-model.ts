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
      notice: `${title} is canceled. We've emailed everyone who bought tickets.`,
      subject: `${title} is canceled`,
      body: `We're sorry: ${title} is canceled.\n\nTickets and parking passes are no longer valid.`,
    };
  }
  return {
    notice: `${title} has a new date. Your tickets are valid on the new date.`,
    subject: `${title} has a new date`,
    body: `${title} has been rescheduled. The new date is below and on our website.\n\nYour tickets and parking passes are still valid. Show the same codes on the new date.`,
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
    ...(notice.trim() === "" && { notice: "Enter a notice for the website." }),
    ...(refunds === "on_request" && askUntil === "" && { askUntil: "Choose a date." }),
    ...(subject.trim() === "" && { subject: "Enter a subject." }),
    ...(body.trim() === "" && { body: "Write the message." }),
  };
}

/** What refunds do not cover: comps, and door sales. */
export function untouchedWords({ comps, door_orders, door_cents }: ChangePreview): string[] {
  return [
    ...(comps > 0 ? [`${count(comps, "comp was", "comps were")} free, so there is nothing to refund.`] : []),
    ...(door_orders > 0
      ? [
          `${count(door_orders, "door sale")} worth ${formatCents(door_cents)} ${door_orders === 1 ? "isn't included. To refund it, void it" : "aren't included. To refund them, void each"} in its order.`,
        ]
      : []),
  ];
}

/** The last minute of a day in Houston, wherever the organiser is; null when there is no day. */
export const endOfDay = (day: string): string | null => centralMoment(`${day}T23:59`);

const dayWords = (day: string) => (day === "" ? "the date you choose" : formatDay(endOfDay(day)));

/** What the mail adds below the text, matching SQL and the mail template. */
export function addedToMail({ kind, refunds, askUntil }: Change): string[] {
  return [
    ...(kind === "moved" ? ["The new date and hours, with calendar links."] : []),
    ...(refunds === "on_request"
      ? [`To buyers: they can claim a refund under My Tickets until the end of ${dayWords(askUntil)}.`]
      : []),
    ...(refunds === "everybody" ? ["To buyers: their refund goes to the card they paid with."] : []),
    ...(refunds === "none" ? [] : ["To comp guests: their ticket was free, so there is no refund."]),
    "A link to My Tickets.",
  ];
}
