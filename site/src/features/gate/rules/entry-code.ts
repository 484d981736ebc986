// Reads an entry code on the device, without a network: parses it, checks the signature against every key that ever
// signed codes, and names why a code that is not ours is refused.
import type { UnknownDetail } from "contract/gate";
import {
  importTicketKey,
  readTicketToken,
  type TicketClaims,
  type TicketKeyJwk,
} from "contract/tickets/ticket-token";

/** Whether a key signed this. */
export type Verify = (
  signature: Uint8Array<ArrayBuffer>,
  payload: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;

export type EntryCode =
  | { readonly claims: TicketClaims }
  | { readonly refusal: Exclude<UnknownDetail, "not_in_books"> };

/** A payload, whose length depends on the festival's code, a dot, and 64 bytes of signature. */
export const SIGNATURE_LENGTH = 86;
/** Our first byte is a version, 1, which is "A" followed by one of these in base64url. */
const OUR_BEGINNING = /^A[Q-Za-f][A-Za-z0-9_.-]{6,}$/;
const SHORTEST_CODE = 20;
const AN_EVENT = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;

/** Whether the code is complete. The length of codes differs between festivals. */
export const isWhole = (text: string): boolean => (text.split(".")[1]?.length ?? 0) >= SIGNATURE_LENGTH;

/**
 * Not true for the beginning of one code joined to the rest of another, except by chance, and then the signature does
 * not match.
 */
export const isJustWhole = (text: string): boolean => {
  const [, signature, ...more] = text.split(".");
  return signature?.length === SIGNATURE_LENGTH && more.length === 0;
};

/** For a text that may be truncated: no plate begins like this and fills a plate field. */
export const isOurBeginning = (text: string): boolean =>
  text.length >= SHORTEST_CODE && OUR_BEGINNING.test(text);

/** Whether it has the shape of an entry code, of any festival and with any signature. */
export const isOurs = (text: string): boolean => readTicketToken(text.trim()) !== null;

/** Never rejects because of the text. `event`: the festival's code. */
export async function readEntryCode(
  text: string,
  keys: readonly Verify[],
  event: string,
): Promise<EntryCode> {
  const token = readTicketToken(text.trim());
  if (!token) return { refusal: refusalOfShape(text.trim()) };
  const { claims, signature, payload } = token;
  for (const verify of keys) {
    if (!(await verify(signature, payload))) continue;
    return claims.event === event ? { claims } : { refusal: "other_festival" };
  }
  return { refusal: claims.event !== event && AN_EVENT.test(claims.event) ? "other_festival" : "forged" };
}

function refusalOfShape(text: string): "cut" | "forged" | "malformed" {
  if (!OUR_BEGINNING.test(text)) return "malformed";
  return isWhole(text) ? "forged" : "cut";
}

/** Uses WebCrypto where the browser supports Ed25519, otherwise a library: Chrome before 137, Safari before 17. */
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
  // Strict RFC 8032, as in WebCrypto.
  return (signature, payload) => verifyAsync(signature, payload, key, { zip215: false }).catch(() => false);
}
