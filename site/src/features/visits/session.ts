// A visitor is one browser tab, until it is closed. Knowing the identifier proves that a visit is one's own.
import { readJson, writeJson } from "#lib/browser/stored-json.ts";

const KEY = "houston-culture-festival:visit-session";

let unstored: string | undefined;

/** Created once per browser tab and kept in session storage, or in memory where storage is blocked. */
export function visitSession(): string {
  const known = stored() ?? unstored;
  if (known) return known;
  unstored = newIdentifier();
  writeJson("session", KEY, unstored);
  return unstored;
}

function stored(): string | undefined {
  try {
    const value = readJson("session", KEY);
    return typeof value === "string" && value.length >= 8 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A UUID of version 4. */
export function newVisitId(): string {
  const digits = newIdentifier();
  const variant = "89ab"[Number.parseInt(digits[16]!, 16) % 4];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** Avoids randomUUID, which is missing on pages served over plain HTTP. */
function newIdentifier(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
