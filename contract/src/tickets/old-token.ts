// Reads the codes that were sold before decision 079: 37 bytes and the event's code, a dot and the signature, as base64url.
import { hexOf, type ReadTicketToken, uuidText } from "./claims.ts";

const VERSION = 1;
const EVENT_OFFSET = 1 + 16 + 16 + 4;
const MAX_LENGTH = 512;
const SIGNATURE_BYTES = 64;
/** The letters of the signature. */
export const OLD_SIGNATURE_LENGTH = 86;

/** Null when the text does not have their shape. */
export function readOldToken(token: string): ReadTicketToken | null {
  if (token.length > MAX_LENGTH) return null;
  const [payloadText, signatureText, ...rest] = token.split(".");
  if (payloadText === undefined || signatureText === undefined || rest.length > 0) return null;
  const payload = fromBase64Url(payloadText);
  const signature = fromBase64Url(signatureText);
  if (!payload || !signature || signature.length !== SIGNATURE_BYTES) return null;
  if (payload.length <= EVENT_OFFSET || payload[0] !== VERSION) return null;
  const claims = {
    ticketId: uuidText(payload.subarray(1, 17)),
    typeMark: hexOf(payload.subarray(29, 33)),
    issueNumber: new DataView(payload.buffer).getUint32(33),
    event: new TextDecoder().decode(payload.subarray(EVENT_OFFSET)),
  };
  return { claims, payload, signature };
}

/** Strict: accepts only the canonical encoding of the bytes, so a code cannot be re-encoded into a different text. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    if (btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") !== text) return null;
    return Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
  } catch {
    return null;
  }
}
