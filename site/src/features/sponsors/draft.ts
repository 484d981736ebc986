import type { SponsorInquiry } from "contract/schemas";
import { formDraft } from "#lib/browser/form-draft.ts";

export const emptyInquiry: SponsorInquiry = {
  companyName: "",
  contactName: "",
  email: "",
  phone: "",
  sponsorshipLevel: "",
  message: "",
  website: "",
};

export const inquiryDraft = formDraft(
  "sponsor-inquiry",
  emptyInquiry,
  (_name, value) => typeof value === "string",
);
