import { vendorApplicationSchema } from "contract/schemas";
import { formDraft } from "#lib/browser/form-draft.ts";
import { emptyApplication } from "./vendor-form.ts";

export const applicationDraft = formDraft("vendor-application", emptyApplication, (name, value) => {
  if (name === "pictures") return vendorApplicationSchema.shape.pictures.safeParse(value).success;
  return typeof value === (name === "agreeTerms" ? "boolean" : "string");
});
