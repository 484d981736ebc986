// What an entry code contains and how it is signed: 29 bytes under Ed25519, as 149 letters and digits (decision 079). It uses
// only WebCrypto, so the gate's browser, Deno and Node read the same bytes without a network.
import { fromBase32, toBase32 } from "./base32.ts";
import { hexOf, type ReadClaims, type ReadTicketToken, uuidBytes, uuidText } from "./claims.ts";
import { readOldToken } from "./old-token.ts";

export interface TicketClaims {
  readonly ticketId: string;
  readonly ticketTypeId: string;
  /** Raised by reissue and transfer. A code with a lower number is dead. */
  readonly issueNumber: number;
  /** The code of the festival it admits to, so next year's gate refuses this year's codes. */
  readonly event: string;
}

const VERSION = 2;
/** The version, the ticket's id, the last bytes of its type's id, the issue number and the festival's mark. */
const PAYLOAD_BYTES = 1 + 16 + 4 + 4 + 4;
const SIGNATURE_BYTES = 64;
/** Of every code of any festival. */
export const TOKEN_LENGTH = 149;
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
  const token = new Uint8Array(PAYLOAD_BYTES + SIGNATURE_BYTES);
  token[0] = VERSION;
  token.set(uuidBytes(claims.ticketId), 1);
  token.set(uuidBytes(claims.ticketTypeId).subarray(-4), 17);
  new DataView(token.buffer).setUint32(21, claims.issueNumber);
  token.set(await festivalMark(claims.event), 25);
  const signature = await crypto.subtle.sign(ed25519, privateKey, token.subarray(0, PAYLOAD_BYTES));
  token.set(new Uint8Array(signature), PAYLOAD_BYTES);
  return toBase32(token);
}

/** Null when the text does not have the shape of a token. */
export function readTicketToken(token: string): ReadTicketToken | null {
  if (token.length !== TOKEN_LENGTH) return readOldToken(token);
  const bytes = fromBase32(token);
  if (bytes?.[0] !== VERSION) return readOldToken(token);
  const claims = {
    ticketId: uuidText(bytes.subarray(1, 17)),
    typeMark: hexOf(bytes.subarray(17, 21)),
    issueNumber: new DataView(bytes.buffer).getUint32(21),
    event: hexOf(bytes.subarray(25, PAYLOAD_BYTES)),
  };
  return { claims, payload: bytes.slice(0, PAYLOAD_BYTES), signature: bytes.slice(PAYLOAD_BYTES) };
}

/** Whether the code is for the festival with this code. */
export async function isForEvent(claims: ReadClaims, event: string): Promise<boolean> {
  return claims.event === event || claims.event === hexOf(await festivalMark(event));
}

/** In place of the festival's code, so that all codes have one length. */
async function festivalMark(event: string): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(event));
  return new Uint8Array(digest, 0, 4);
}

/** The claims of a genuine token; null for anything else. Never rejects because of the token. */
export async function verifyTicketToken(token: string, publicKey: TicketKey): Promise<ReadClaims | null> {
  const read = readTicketToken(token);
  if (!read) return null;
  return (await crypto.subtle.verify(ed25519, publicKey, read.signature, read.payload)) ? read.claims : null;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
