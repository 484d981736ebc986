// Reads an entry code on the device, without a network: parses it, checks the signature against every key that ever
// signed codes, and names why a code that is not ours is refused.
import type { UnknownDetail } from "contract/gate";
import type { ReadClaims } from "contract/tickets/claims";
import { OLD_SIGNATURE_LENGTH } from "contract/tickets/old-token";
import {
  importTicketKey,
  isForEvent,
  readTicketToken,
  type TicketKeyJwk,
  TOKEN_LENGTH,
} from "contract/tickets/ticket-token";

/** Whether a key signed this. */
export type Verify = (
  signature: Uint8Array<ArrayBuffer>,
  payload: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;

export type EntryCode =
  | { readonly claims: ReadClaims }
  | { readonly refusal: Exclude<UnknownDetail, "not_in_books"> };

/** Letters and digits only, in capitals unless Shift or Caps Lock says otherwise. */
const LETTERS = /^[0-9A-Z]+$/i;
/** The first byte is the version, 2. In an old code it is 1, in base64url. */
const OUR_BEGINNING = /^0[89AB][0-9A-Z]{6,}$/i;
const OLD_BEGINNING = /^A[Q-Za-f][A-Za-z0-9_.-]{6,}$/;
/** Of a part that is recognized as one. */
const SHORTEST_PART = 20;

/** Whether nothing is missing at the end. The length of old codes differs between festivals. */
export const isWhole = (text: string): boolean => {
  const [payload, signature] = text.split(".") as [string, string?];
  return signature === undefined ? payload.length >= TOKEN_LENGTH : signature.length >= OLD_SIGNATURE_LENGTH;
};

/**
 * Not true for the beginning of one code joined to the rest of another, except by chance, and then the signature does
 * not match.
 */
export const isJustWhole = (text: string): boolean => {
  const [payload, signature, ...more] = text.split(".") as [string, string?];
  if (signature === undefined) return payload.length === TOKEN_LENGTH && LETTERS.test(payload);
  return signature.length === OLD_SIGNATURE_LENGTH && more.length === 0;
};

/** For a text that may be truncated: no plate begins like this and fills a plate field. */
export const isOurBeginning = (text: string): boolean =>
  text.length >= SHORTEST_PART && (OUR_BEGINNING.test(text) || OLD_BEGINNING.test(text));

/** Whether it looks like some part of a code: letters and digits, which few others have so many of. An old code has both cases. */
export const isPart = (text: string): boolean => {
  if (text.length < SHORTEST_PART || isWhole(text)) return false;
  if (LETTERS.test(text)) return /\d/.test(text) && /[A-Z]/i.test(text);
  return /^[\w.-]+$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
};

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
  if (!(await isForEvent(claims, event))) return { refusal: "other_festival" };
  for (const verify of keys) if (await verify(signature, payload)) return { claims };
  return { refusal: "forged" };
}

function refusalOfShape(text: string): "cut" | "forged" | "malformed" {
  if (!OUR_BEGINNING.test(text) && !OLD_BEGINNING.test(text)) return "malformed";
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
