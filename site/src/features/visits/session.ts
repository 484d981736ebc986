// Who a visitor is: one browser tab, until it is closed. The identifier is all that proves a visit to be one's own.
import { readJson, writeJson } from "#lib/browser/stored-json.ts";

const KEY = "houston-culture-festival:visit-session";

let unstored: string | undefined;

/** Made once for a browser tab and kept in session storage; where that is refused, for as long as the page lives. */
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

/** Not randomUUID: that one is missing where the page came over plain HTTP. */
function newIdentifier(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
