import { formDraft } from "#lib/browser/form-draft.ts";
import { emptyApplication } from "./vendor-form.ts";

export const applicationDraft = formDraft("vendor-application", emptyApplication, (name, value) => {
  if (name === "pictures") return Array.isArray(value) && value.every(isPicture);
  return typeof value === (name === "agreeTerms" ? "boolean" : "string");
});

function isPicture(value: unknown): boolean {
  const { path, name } = (value ?? {}) as Record<string, unknown>;
  return typeof path === "string" && typeof name === "string";
}
