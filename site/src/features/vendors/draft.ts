// The draft of an application: kept in this tab across reloads until it is sent.
import { vendorApplicationSchema } from "contract/schemas";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { emptyApplication, type VendorFormInput } from "./vendor-form.ts";

const KEY = "houston-culture-festival:vendor-application";

export function readDraft(): VendorFormInput | undefined {
  try {
    const draft = readJson("session", KEY);
    if (typeof draft !== "object" || draft === null) return undefined;
    // Only known fields of the right type are taken over; the rest stays empty.
    const known = Object.entries(draft).filter(
      ([name, value]) => name in emptyApplication && isKept(name, value),
    );
    return { ...emptyApplication, ...Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}

function isKept(name: string, value: unknown): boolean {
  if (name === "pictures") return vendorApplicationSchema.shape.pictures.safeParse(value).success;
  return typeof value === (name === "agreeTerms" ? "boolean" : "string");
}

export function keepDraft(application: VendorFormInput): void {
  writeJson("session", KEY, application);
}

export function forgetDraft(): void {
  writeJson("session", KEY, undefined);
}
