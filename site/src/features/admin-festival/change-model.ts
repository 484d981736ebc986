// What cancelling or moving the day is made of, and the words it begins with.
import type { SectionOf } from "contract/festival-sections";
import { centralMoment } from "#lib/time/central-time.ts";

export type Facts = SectionOf<"facts">;

export interface Change {
  readonly kind: "moved" | "cancelled";
  /** "2025-07-04T11:00", on the festival's clocks. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly notice: string;
  readonly refunds: "everybody" | "on_request" | "none";
  /** A day, the last on which buyers may ask. */
  readonly askUntil: string;
  readonly subject: string;
  readonly body: string;
}

/** Words to begin with; organisers change what they like. */
export function firstWords(
  kind: Change["kind"],
  { title }: Facts,
): Pick<Change, "notice" | "subject" | "body"> {
  if (kind === "cancelled") {
    return {
      notice: `${title} will not take place. Everybody who bought tickets has mail from us.`,
      subject: `${title} is cancelled`,
      body: `We are sorry: ${title} will not take place.\n\nYour tickets and parking are no longer valid once they are refunded. The money goes back to the card they were paid with; banks take 5 to 10 days to show it.`,
    };
  }
  return {
    notice: `${title} has moved. Your tickets are valid on the new day.`,
    subject: `${title} has a new date`,
    body: `${title} has moved to another day. The new date stands below and on our pages.\n\nYour tickets and parking stay valid: show the same codes on the new day.`,
  };
}

export function changedFacts(facts: Facts, change: Change): Facts {
  return {
    ...facts,
    ...(change.kind === "moved" && { starts_at: change.startsAt, ends_at: change.endsAt }),
    status: change.kind,
    notice: change.notice.trim(),
  };
}

/** What is missing, by field. */
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

/** The last minute of a day in Houston, wherever the organiser sits; null for no day. */
export const endOfDay = (day: string): string | null => centralMoment(`${day}T23:59`);

/** What the mail adds below the text, as SQL and the mail's letter do. */
export function addedToMail({ kind, refunds, askUntil }: Change): string[] {
  return [
    ...(kind === "moved" ? ["The new day and hours, with links to put them into a calendar."] : []),
    ...(refunds === "on_request"
      ? [
          `That the buyer may have the money back under My Tickets until the end of ${askUntil || "the day you choose"}.`,
        ]
      : []),
    "A link to My Tickets.",
  ];
}
