// The link that saves a ticket to Google Wallet: a JWT with the event and the ticket in it, signed by the organizer's service
// account, so that nothing is stored at Google before the buyer presses Save.
import { importPKCS8, SignJWT } from "jose";
import type { GoogleWallet } from "contract/tickets/wallets";
import type { WalletTicket } from "./ticket.ts";

/** According to Google's guide, browsers truncate longer links. */
const LONGEST_TOKEN = 1800;

const text = (value: string) => ({ defaultValue: { language: "en-US", value } });

export async function googleLink(keys: GoogleWallet, ticket: WalletTicket): Promise<string> {
  const key = await importPKCS8(keys.privateKey, "RS256");
  const sign = (isShort: boolean) =>
    new SignJWT({
      iss: keys.account,
      aud: "google",
      typ: "savetowallet",
      origins: [new URL(ticket.siteUrl).origin],
      payload: payloadOf(keys, ticket, isShort),
    })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuedAt()
      .sign(key);
  const whole = await sign(false);
  return `https://pay.google.com/gp/v/save/${whole.length <= LONGEST_TOKEN ? whole : await sign(true)}`;
}

/**
 * Each published date is its own class, shared by all ticket types, and each code of a ticket its own object in it: Google keeps what
 * it knows by an id and ignores what a later link says. A short token leaves out what the page shows anyway.
 */
function payloadOf({ issuer }: GoogleWallet, ticket: WalletTicket, isShort: boolean) {
  const { festival, id, issueNumber, name, holder, token } = ticket;
  const classId = `${issuer}.${festival.code}-${festival.date}`;
  return {
    eventTicketClasses: [
      {
        id: classId,
        issuerName: festival.organizer,
        reviewStatus: "UNDER_REVIEW",
        eventName: text(festival.title),
        ...(!isShort && {
          venue: { name: text(festival.grounds), address: text(festival.contactAddress) },
          dateTime: { start: festival.startsAt, end: festival.endsAt },
        }),
      },
    ],
    eventTicketObjects: [
      {
        id: `${classId}-${id}-${issueNumber}`,
        classId,
        state: "ACTIVE",
        ticketHolderName: cut(holder, isShort),
        ticketNumber: id.slice(0, 8),
        ticketType: text(cut(name, isShort)),
        barcode: { type: "QR_CODE", value: token, ...(!isShort && { alternateText: id.slice(0, 8) }) },
      },
    ],
  };
}

const cut = (words: string, isShort: boolean) =>
  isShort && words.length > 40 ? `${words.slice(0, 39)}…` : words;
