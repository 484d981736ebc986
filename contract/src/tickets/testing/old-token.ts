// Signs codes as they were sold before decision 079. They still admit.
import type { TicketClaims, TicketKey } from "../ticket-token.ts";
import { uuidBytes } from "../claims.ts";

export async function signOldToken(claims: TicketClaims, privateKey: TicketKey): Promise<string> {
  const event = new TextEncoder().encode(claims.event);
  const payload = new Uint8Array(37 + event.length);
  payload[0] = 1;
  payload.set(uuidBytes(claims.ticketId), 1);
  payload.set(uuidBytes(claims.ticketTypeId), 17);
  new DataView(payload.buffer).setUint32(33, claims.issueNumber);
  payload.set(event, 37);
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, payload));
  return `${base64Url(payload)}.${base64Url(signature)}`;
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
