// The draft of an inquiry: kept in this tab across reloads until it is sent.
import type { SponsorInquiry } from "contract/schemas";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";

const KEY = "houston-culture-festival:sponsor-inquiry";

export const emptyInquiry: SponsorInquiry = {
  companyName: "",
  contactName: "",
  email: "",
  phone: "",
  sponsorshipLevel: "",
  message: "",
  website: "",
};

export function readDraft(): SponsorInquiry | undefined {
  try {
    const draft = readJson("session", KEY);
    if (typeof draft !== "object" || draft === null) return undefined;
    const known = Object.entries(draft).filter(
      ([name, value]) => name in emptyInquiry && typeof value === "string",
    );
    return { ...emptyInquiry, ...Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}

export function keepDraft(inquiry: SponsorInquiry): void {
  writeJson("session", KEY, inquiry);
}

export function forgetDraft(): void {
  writeJson("session", KEY, undefined);
}
