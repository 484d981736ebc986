// Vendor applications and what may be decided on them.
import type { BadgeTone } from "#ui/badge.tsx";
import type { Database } from "contract/database";

export type VendorApplication = Database["public"]["Tables"]["vendor_applications"]["Row"];

/** Each status, the name of the state, and what choosing it is called in a selector. */
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

/** Booth name, contact name or contact email contains the search. */
export function matching(applications: readonly VendorApplication[], search: string): VendorApplication[] {
  const wanted = search.trim().toLowerCase();
  return applications.filter((application) =>
    [application.booth_name, application.contact_name, application.contact_email].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
}

export const VENDORS_PAGE = 25;
