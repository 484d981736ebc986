// What an entry code contains and how it is signed: 37 bytes and the event's code under Ed25519, as base64url. It uses
// only WebCrypto and no text encoding tricks, so the gate's browser, Deno and Node read the same bytes without a network.

export interface TicketClaims {
  readonly ticketId: string;
  readonly ticketTypeId: string;
  /** Raised by reissue and transfer. A code with a lower number is dead. */
  readonly issueNumber: number;
  /** The code of the festival it admits to, so next year's gate refuses this year's codes. */
  readonly event: string;
}

const VERSION = 1;
const SIGNATURE_BYTES = 64;
const EVENT_OFFSET = 1 + 16 + 16 + 4;
const MAX_TOKEN_LENGTH = 512;
const ed25519 = { name: "Ed25519" } as const;

/** An imported key. Derived from the function that makes it, because not every runtime declares the type. */
export type TicketKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An Ed25519 key in RFC 8037 format; `d` makes it private. */
export interface TicketKeyJwk {
  readonly kty?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly d?: string;
}

/** A private or public Ed25519 key from its JWK. */
export function importTicketKey(jwk: TicketKeyJwk): Promise<TicketKey> {
  return crypto.subtle.importKey("jwk", jwk, ed25519, false, [jwk.d === undefined ? "verify" : "sign"]);
}

/** The private key that signs entry codes, with its public half and that half's RFC 7638 thumbprint. */
export interface EntryKey {
  readonly id: string;
  readonly key: TicketKey;
  readonly publicJwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
}

/** Imports the private key's JWK. */
export async function importEntryKey(jwk: TicketKeyJwk): Promise<EntryKey> {
  const key = await importTicketKey(jwk);
  if (jwk.x === undefined) throw new TypeError("the key has no public half");
  const publicJwk = { crv: "Ed25519", kty: "OKP", x: jwk.x } as const;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(publicJwk)));
  return { id: toBase64Url(new Uint8Array(digest)), key, publicJwk };
}

export async function signTicketToken(claims: TicketClaims, privateKey: TicketKey): Promise<string> {
  const payload = encode(claims);
  const signature = new Uint8Array(await crypto.subtle.sign(ed25519, privateKey, payload));
  return `${toBase64Url(payload)}.${toBase64Url(signature)}`;
}

/** A parsed token. Do not trust its claims until the signature is verified. */
export interface ReadTicketToken {
  readonly claims: TicketClaims;
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Null when the text does not have the shape of a token. */
export function readTicketToken(token: string): ReadTicketToken | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const [payloadText, signatureText, ...rest] = token.split(".");
  if (payloadText === undefined || signatureText === undefined || rest.length > 0) return null;
  const payload = fromBase64Url(payloadText);
  const signature = fromBase64Url(signatureText);
  if (!payload || !signature || signature.length !== SIGNATURE_BYTES) return null;
  if (payload.length <= EVENT_OFFSET || payload[0] !== VERSION) return null;
  return { claims: decode(payload), payload, signature };
}

/** The claims of a genuine token; null for anything else. Never rejects because of the token. */
export async function verifyTicketToken(token: string, publicKey: TicketKey): Promise<TicketClaims | null> {
  const read = readTicketToken(token);
  if (!read) return null;
  return (await crypto.subtle.verify(ed25519, publicKey, read.signature, read.payload)) ? read.claims : null;
}

function encode(claims: TicketClaims): Uint8Array<ArrayBuffer> {
  const event = new TextEncoder().encode(claims.event);
  const payload = new Uint8Array(EVENT_OFFSET + event.length);
  payload[0] = VERSION;
  payload.set(uuidBytes(claims.ticketId), 1);
  payload.set(uuidBytes(claims.ticketTypeId), 17);
  new DataView(payload.buffer).setUint32(33, claims.issueNumber);
  payload.set(event, EVENT_OFFSET);
  return payload;
}

function decode(payload: Uint8Array): TicketClaims {
  return {
    ticketId: uuidText(payload.subarray(1, 17)),
    ticketTypeId: uuidText(payload.subarray(17, 33)),
    issueNumber: new DataView(payload.buffer, payload.byteOffset).getUint32(33),
    event: new TextDecoder().decode(payload.subarray(EVENT_OFFSET)),
  };
}

function uuidBytes(uuid: string): Uint8Array {
  const digits = uuid.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new TypeError("not a UUID");
  return Uint8Array.from({ length: 16 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}

function uuidText(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Strict: accepts only the canonical encoding of the bytes, so a code cannot be re-encoded into a different text. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) =>
      byte.charCodeAt(0),
    );
    return toBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
