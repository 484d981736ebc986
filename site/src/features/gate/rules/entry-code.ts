// Reads an entry code on the device, without a network: takes it apart, checks the signature against every key that ever
// signed, and says what is wrong with a code that is not ours.
import type { UnknownDetail } from "contract/gate";
import { festivalNow } from "#lib/festival/content.ts";
import {
  importTicketKey,
  readTicketToken,
  type TicketClaims,
  type TicketKeyJwk,
} from "contract/ticket-token";

/** Whether a key signed this. */
export type Verify = (
  signature: Uint8Array<ArrayBuffer>,
  payload: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;

export type EntryCode =
  | { readonly claims: TicketClaims }
  | { readonly flaw: Exclude<UnknownDetail, "not_in_books"> };

/** A payload, which is as long as the festival's own code makes it, a dot, and 64 bytes of signature. */
const SIGNATURE_LENGTH = 86;
/** Our first byte is a version, 1: in base64url "A" and then one of these. */
const OUR_BEGINNING = /^A[Q-Za-f][A-Za-z0-9_.-]{6,}$/;
const SHORTEST_CODE = 20;
const AN_EVENT = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;

/** Whether nothing of it is missing: the length of codes differs from festival to festival. */
export const isWhole = (text: string): boolean => (text.split(".")[1]?.length ?? 0) >= SIGNATURE_LENGTH;

/** Not so of the beginning of one code with the rest of another, but by chance; then the signature does not fit. */
export const isJustWhole = (text: string): boolean => {
  const [, signature, ...more] = text.split(".");
  return signature?.length === SIGNATURE_LENGTH && more.length === 0;
};

/** Of a text that may have been cut: no plate begins so and is as long as a field of plates. */
export const isOurBeginning = (text: string): boolean =>
  text.length >= SHORTEST_CODE && OUR_BEGINNING.test(text);

/** Never rejects because of the text. */
export async function readEntryCode(text: string, keys: readonly Verify[]): Promise<EntryCode> {
  const token = readTicketToken(text.trim());
  if (!token) return { flaw: flawOfShape(text.trim()) };
  const { claims, signature, payload } = token;
  const event = festivalNow().code;
  for (const verify of keys) {
    if (!(await verify(signature, payload))) continue;
    return claims.event === event ? { claims } : { flaw: "other_festival" };
  }
  return { flaw: claims.event !== event && AN_EVENT.test(claims.event) ? "other_festival" : "forged" };
}

function flawOfShape(text: string): "cut" | "forged" | "malformed" {
  if (!OUR_BEGINNING.test(text)) return "malformed";
  return isWhole(text) ? "forged" : "cut";
}

/** WebCrypto where the browser has Ed25519, and a library where it does not: Chrome before 137, Safari before 17. */
export async function createVerify(jwk: TicketKeyJwk & { x: string }): Promise<Verify> {
  try {
    const key = await importTicketKey(jwk);
    return (signature, payload) => crypto.subtle.verify("Ed25519", key, signature, payload);
  } catch {
    return createVerifyInScript(jwk);
  }
}

export async function createVerifyInScript({ x }: { x: string }): Promise<Verify> {
  const { verifyAsync } = await import("@noble/ed25519");
  const key = Uint8Array.from(atob(x.replaceAll("-", "+").replaceAll("_", "/")), (byte) =>
    byte.charCodeAt(0),
  );
  // RFC 8032 to the letter, as WebCrypto is.
  return (signature, payload) => verifyAsync(signature, payload, key, { zip215: false }).catch(() => false);
}
