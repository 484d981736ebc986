// The parts of cancelling or moving the day, and the default texts.
import { festivalOf } from "contract/festival/facts";
import type { SectionOf } from "contract/festival/sections";
import { capitalized, listed } from "contract/shop/kinds";
import { formatCents } from "contract/shop/money";
import { count, formatDay, formatMoment } from "#lib/format.ts";
import { disputeWords } from "#lib/dispute-words.ts";
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

/** Default texts; organizers edit them as they like. */
function firstWords(
  { kind, startsAt, endsAt }: Pick<Change, "kind" | "startsAt" | "endsAt">,
  facts: Facts,
  codes: readonly string[],
): Pick<Change, (typeof words)[number]> {
  const { title } = facts;
  if (kind === "cancelled") {
    return {
      notice: `${title} is canceled. We've emailed everyone who bought tickets.`,
      subject: `${title} is canceled`,
      body: `We're sorry: ${title} is canceled.\n\n${capitalized(listed(codes))} are no longer valid.`,
    };
  }
  const isDated =
    startsAt !== "" && startsAt < endsAt && startsAt.slice(0, 10) !== facts.starts_at.slice(0, 10);
  const date = isDated ? `: ${festivalOf({ ...facts, starts_at: startsAt, ends_at: endsAt }).dateText}` : "";
  return {
    notice: `${title} has a new date${date}. Your tickets are valid on the new date.`,
    subject: `${title} has a new date${date}`,
    body: `${title} has been rescheduled. The new date is below and on our website.\n\nYour ${listed(codes)} are still valid. Show the same codes on the new date.`,
  };
}

const words = ["notice", "subject", "body"] as const;

/** The change with these choices. Texts that were not edited follow them. `codes`: what has them, of the preview. */
export function chosen(
  change: Change,
  choices: Partial<Change>,
  facts: Facts,
  { codes }: Pick<ChangePreview, "codes">,
): Change {
  const after = { ...change, ...choices };
  const [before, fresh] = [firstWords(change, facts, codes), firstWords(after, facts, codes)];
  const untouched = words.filter((name) => change[name] === before[name]);
  return { ...after, ...Object.fromEntries(untouched.map((name) => [name, fresh[name]])) };
}

/** What the form begins with. */
export function blankChange(facts: Facts, { codes }: Pick<ChangePreview, "codes">): Change {
  const begun = { kind: "moved", startsAt: facts.starts_at, endsAt: facts.ends_at } as const;
  return { ...begun, refunds: "on_request", askUntil: "", ...firstWords(begun, facts, codes) };
}

export function changedFacts(facts: Facts, change: Change): Facts {
  return {
    ...facts,
    ...(change.kind === "moved" && { starts_at: change.startsAt, ends_at: change.endsAt }),
    status: change.kind,
    notice: change.notice.trim(),
  };
}

/** What publishing these facts does to people who hold tickets. */
export function changeIn(before: Facts, after: Facts): Change["kind"] | "restored" | undefined {
  if (after.status === "cancelled" && before.status !== "cancelled") return "cancelled";
  if (after.status !== "cancelled" && before.status === "cancelled") return "restored";
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

const isOtherDay = (one: string, other: string) => one.slice(0, 10) !== other.slice(0, 10);

/** The gate and the sales follow the day, not its hours. */
export const onlyHoursChange = (before: Facts, { startsAt }: Change): boolean =>
  startsAt !== before.starts_at && !isOtherDay(startsAt, before.starts_at);

/** "Dec 6, 2026, 11:00 AM to 10:00 PM" */
function dateWords({ startsAt, endsAt }: Pick<Change, "startsAt" | "endsAt">): string {
  const ends = formatMoment(centralMoment(endsAt));
  return `${formatMoment(centralMoment(startsAt))} to ${isOtherDay(startsAt, endsAt) ? ends : ends.split(", ").at(-1)}`;
}

/** What a new day does to people who were let in; undefined when nobody was, or the day stays. */
export function letInWords({ let_in }: ChangePreview, before: Facts, startsAt: string): string | undefined {
  if (let_in === 0 || !isOtherDay(before.starts_at, startsAt)) return undefined;
  return `${count(let_in, "person was", "people were")} let in. On the new date, ${let_in === 1 ? "that person" : "they"} can come in again with the same codes.`;
}

/** What becomes of the end of each sale. */
export const saleEndWords = ({ sale_ends }: ChangePreview): string[] =>
  sale_ends.map(
    ({ name, closes_at, moves }) =>
      `${name === null ? "All sales close" : `Sales of ${name} close`} ${formatMoment(closes_at)}. ${moves ? "This moves with the day." : "This stays: change it under Inventory."}`,
  );

/** What buyers may claim, and until when. */
function claimWords({ askUntil }: Change, { orders, cents }: ChangePreview): string {
  if (orders === 0) return "No order was paid online, so there is no refund to claim.";
  return `Buyers can claim a refund themselves until the end of ${dayWords(askUntil)}: up to ${count(orders, "order")} worth ${formatCents(cents)}.`;
}

/** What the announcement does, before it is made. */
export function consequences(change: Change, facts: Facts, preview: ChangePreview): string {
  const { kind, refunds, startsAt } = change;
  const { people, orders, cents, disputed } = preview;
  return [
    kind === "moved" ? `New date: ${dateWords(change)}.` : "",
    `Every page shows it within 30 seconds, and ${count(people, "person gets", "people get")} an email.`,
    kind === "cancelled" ? "Sales stop, and tickets are no longer valid at the gate." : "",
    kind === "moved" && facts.status === "cancelled" ? RESTORED : "",
    kind === "moved" ? (letInWords(preview, facts, startsAt) ?? "") : "",
    refunds === "everybody"
      ? `${count(orders, "order")} worth ${formatCents(cents)} ${orders === 1 ? "is refunded; its" : "are refunded; their"} tickets become void.`
      : "",
    refunds === "everybody" && disputed > 0 ? disputeWords(disputed, orders) : "",
    refunds === "on_request" ? claimWords(change, preview) : "",
    ...untouchedWords(preview),
    "Emails and refunds already sent can't be recalled. You can stop the rest.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** What the announcement has started, once it is made; undefined when it was only published. */
export function startedWords({ refunds }: Change, { people, orders }: ChangePreview): string | undefined {
  const started = [people > 0 && "emails", refunds === "everybody" && orders > 0 && "refunds"]
    .filter((one) => one !== false)
    .join(" and ");
  return started === "" ? undefined : `${started[0]!.toUpperCase()}${started.slice(1)} are going out.`;
}

/** What publishing a canceled festival as planned or rescheduled does, and does not. */
export const RESTORED =
  "The festival is no longer canceled, and valid tickets work at the gate again. Sales stay stopped until you start them under Inventory, and refunds already made are not taken back.";

/** "Move to Dec 6, 2026 and Email 45 People" */
export function confirmWords({ kind, startsAt }: Change, { people }: ChangePreview): string {
  const does = kind === "cancelled" ? "Cancel the Festival" : `Move to ${formatDay(centralMoment(startsAt))}`;
  return people === 0 ? does : `${does} and Email ${count(people, "Person", "People")}`;
}

/** The last minute of a day in Houston, wherever the organizer is; null when there is no day. */
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
