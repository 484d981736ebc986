// Vendor applications and the decisions on them.
import { formatMoment } from "#lib/format.ts";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";
import { parseListPage, type ListPage } from "#lib/lists/list-pages.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { z } from "zod";

/** The name used in a failed read's message. */
export const VENDORS = "vendor applications";

const application = z.object({
  id: z.string(),
  booth_name: z.string(),
  contact_name: z.string(),
  contact_email: z.string(),
  contact_phone: z.string(),
  status: z.string(),
  submission_date: z.string(),
  booth_size_requested: z.string().nullable(),
  description_of_goods: z.string(),
  special_requests: z.string().nullable(),
  pictures: z.array(z.string()).default([]),
  version: z.number(),
});
export type VendorApplication = z.output<typeof application>;

/** Each status with its name, and its label as a choice in the selector. */
export const statuses = [
  { status: "pending_review", name: "Pending", choice: "Pending", tone: "warning" },
  { status: "under_review", name: "Reviewing", choice: "Reviewing", tone: "default" },
  { status: "approved", name: "Approved", choice: "Approve", tone: "success" },
  { status: "rejected", name: "Rejected", choice: "Reject", tone: "danger" },
] as const satisfies readonly { status: string; name: string; choice: string; tone: BadgeTone }[];

export type VendorStatus = (typeof statuses)[number]["status"];

export function isVendorStatus(value: string): value is VendorStatus {
  return statuses.some(({ status }) => status === value);
}

export function statusName(status: string): string {
  return statuses.find((entry) => entry.status === status)?.name ?? status;
}

/** A decision can be undone for this long before it is mailed (notify_vendor). */
const MAILED_AFTER_SECONDS = 15;

/** A decision that was just made. The same decision is not mailed twice. */
export function decidedText(booth: string, status: string): string {
  const decided = `${booth}: ${statusName(status)}`;
  return status === "approved" || status === "rejected"
    ? `${decided}. The email goes out in ${MAILED_AFTER_SECONDS} seconds, unless already sent.`
    : decided;
}

const decisionMails = z.array(
  z.object({
    payload: z.object({ status: z.string() }),
    done_at: z.string().nullable(),
    dead_at: z.string().nullable(),
  }),
);
export type DecisionMail = z.output<typeof decisionMails>[number];

export const isBeingSent = ({ done_at, dead_at }: DecisionMail): boolean =>
  done_at === null && dead_at === null;

export function decisionMailText({ payload, done_at, dead_at }: DecisionMail): string {
  const state = done_at ? `sent ${formatMoment(done_at)}` : dead_at ? "could not be sent" : "being sent";
  return `${statusName(payload.status)}: ${state}`;
}

/** @throws Error when the response has another shape */
export function parseDecisionMails(answer: unknown): DecisionMail[] {
  return parseAnswer(VENDORS, decisionMails, answer);
}

/** @throws Error when the response has another shape */
export function parseApplication(answer: unknown): VendorApplication {
  return parseAnswer(VENDORS, application, answer);
}

export interface VendorPage extends ListPage<VendorApplication> {
  /** How many applications have each status, ignoring the search. */
  byStatus: Readonly<Partial<Record<string, number>>>;
}

/** @throws Error when the response has another shape */
export function parseVendorPage(answer: unknown): VendorPage {
  const counts = z.object({ by_status: z.record(z.string(), z.number()) });
  return {
    ...parseListPage(VENDORS, application, answer),
    byStatus: parseAnswer(VENDORS, counts, answer).by_status,
  };
}

export interface VendorFilter {
  search: string;
  status: VendorStatus | undefined;
}
