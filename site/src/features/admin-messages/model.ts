// The shape of a message and its progress.
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { count } from "#lib/format.ts";
import { z } from "zod";

/** As `message_audience` expects it. */
export const audience = z.object({
  people: z.enum(["buyers", "attendees", "everybody"]),
  /** Ticket types and parking passes; empty for all. */
  type_ids: z.array(z.string()),
  state: z.enum(["valid", "not_in", "in", "refunded"]),
});
export type Audience = z.output<typeof audience>;

export const message = z.object({
  id: z.string(),
  subject: z.string(),
  body: z.string(),
  audience,
  created_at: z.string(),
  stopped_at: z.string().nullable(),
  sent_by: z.string().nullable(),
  waiting: z.number(),
  sent: z.number(),
  bounced: z.number(),
  /** Work remains that needs no further action. */
  working: z.boolean(),
});
export type Message = z.output<typeof message>;

export const bounce = z.object({
  name: z.string(),
  email: z.string(),
  problem: z.string().nullable(),
  changed_at: z.string(),
});
export type Bounce = z.output<typeof bounce>;

export const peopleNames: Readonly<Record<Audience["people"], string>> = {
  buyers: "Buyers",
  attendees: "Attendees",
  everybody: "Buyers and attendees",
};

export const stateNames: Readonly<Record<Audience["state"], string>> = {
  valid: "With a valid ticket or pass",
  not_in: "Not checked in",
  in: "Checked in",
  refunded: "With a refunded ticket or pass",
};

export type Standing = "Sending" | "Stopped" | "Failed" | "Sent";

export function standingOf({ waiting, stopped_at, working }: Message): Standing {
  if (waiting === 0) return "Sent";
  if (stopped_at !== null) return "Stopped";
  return working ? "Sending" : "Failed";
}

export const standingTones: Readonly<Record<Standing, BadgeTone>> = {
  Sending: "default",
  Stopped: "warning",
  Failed: "danger",
  Sent: "success",
};

/** "1,200 of 5,000 sent, 3 bounced". */
export function progressText({ waiting, sent, bounced }: Message): string {
  const all = waiting + sent + bounced;
  const reached =
    waiting === 0 && bounced === 0
      ? `Sent to ${count(all, "person", "people")}`
      : `${sent.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} sent`;
  return bounced === 0 ? reached : `${reached}, ${bounced.toLocaleString("en-US")} bounced`;
}

/** "Attendees, not checked in, VIP". `typeNames` by id, undefined until they are loaded. A deleted type has no name. */
export function audienceText(
  { people, type_ids, state }: Audience,
  typeNames: ReadonlyMap<string, string> | undefined,
): string {
  const types = typeNames
    ? type_ids.map((id) => typeNames.get(id) ?? "a deleted type").join(", ")
    : type_ids.length > 0 && count(type_ids.length, "chosen type");
  return [peopleNames[people], stateNames[state].toLowerCase(), types].filter(Boolean).join(", ");
}

export interface Draft {
  readonly subject: string;
  readonly body: string;
  readonly audience: Audience;
}

/** Missing input, by field. */
export function problemsOf({ subject, body }: Draft): Partial<Record<"subject" | "body", string>> {
  return {
    ...(subject.trim() === "" && { subject: "Enter a subject." }),
    ...(body.trim() === "" && { body: "Write the message." }),
  };
}
