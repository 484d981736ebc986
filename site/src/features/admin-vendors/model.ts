// Vendor applications and the decisions on them.
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
