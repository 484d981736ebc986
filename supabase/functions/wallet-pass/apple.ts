// A ticket as a signed file for Apple Wallet: one of Apple's "Wallet Passes", an event ticket. It is not updated remotely: after a
// reissue the buyer adds it again, and the new pass replaces the old one by its serial number.
// @ts-types="./passkit.d.ts"
import { PKPass } from "passkit-generator";
import { attributive, capitalized } from "contract/shop/kinds";
import type { AppleWallet } from "contract/tickets/wallets";
import { readFile } from "../_shared/file.ts";
import type { WalletTicket } from "./ticket.ts";

/**
 * The festival's mark as icon (29 points) and logo (50), and its skyline as the strip (375 by 98) behind the event's name, each in
 * the sizes that Apple requires: screenshots of site/public/favicon.svg and of the documents' header.
 */
const PICTURES = [
  ...["icon.png", "icon@2x.png", "icon@3x.png"],
  ...["logo.png", "logo@2x.png", "logo@3x.png"],
  ...["strip.png", "strip@2x.png"],
];

export async function applePass(keys: AppleWallet, ticket: WalletTicket): Promise<Uint8Array<ArrayBuffer>> {
  const { festival, id, token } = ticket;
  const files = await Promise.all(
    PICTURES.map(async (name) => [name, await readFile(new URL(`./images/${name}`, import.meta.url))]),
  );
  const pass = new PKPass(
    Object.fromEntries(files) as ConstructorParameters<typeof PKPass>[0],
    { wwdr: keys.wwdr, signerCert: keys.certificate, signerKey: keys.key },
    {
      formatVersion: 1,
      passTypeIdentifier: keys.passType,
      teamIdentifier: keys.team,
      organizationName: festival.organizer,
      description: `${capitalized(ticket.kind.label)} for ${festival.title}`,
      serialNumber: id,
      logoText: festival.tagline,
      backgroundColor: "rgb(23, 19, 15)",
      foregroundColor: "rgb(255, 246, 230)",
      labelColor: "rgb(242, 165, 65)",
      // A code admits the first person who shows it.
      sharingProhibited: true,
    },
  );
  pass.type = "eventTicket";
  addFields(pass, ticket);
  pass.setBarcodes({
    format: "PKBarcodeFormatQR",
    message: token,
    messageEncoding: "iso-8859-1",
    altText: `No. ${id.slice(0, 8)}`,
  });
  pass.setRelevantDates([{ startDate: new Date(festival.startsAt), endDate: new Date(festival.endsAt) }]);
  pass.setExpirationDate(new Date(festival.endsAt));
  return Uint8Array.from(pass.getAsBuffer());
}

function addFields(pass: PKPass, { festival, siteUrl, orderId, kind, name, holder }: WalletTicket): void {
  pass.headerFields.push({ key: "date", label: "DATE", value: festival.dateText });
  pass.primaryFields.push({ key: "event", label: festival.grounds, value: festival.title });
  pass.secondaryFields.push(
    { key: "holder", label: kind.needs_attendee ? "NAME" : "ADMITS", value: holder },
    { key: "type", label: attributive(kind).toUpperCase(), value: name },
  );
  pass.auxiliaryFields.push(
    { key: "hours", label: "HOURS", value: festival.hoursText },
    { key: "order", label: "ORDER", value: orderId.slice(0, 8) },
  );
  pass.backFields.push(
    { key: "place", label: "Where", value: `${festival.grounds}, ${festival.contactAddress}` },
    {
      key: "code",
      label: "The code",
      value: `It admits one ${kind.admits}, one time. Whoever shows it first gets in, so keep it private. If refunded or transferred, it is void.`,
    },
    { key: "tickets", label: "My tickets", value: `${siteUrl}/my-tickets` },
    { key: "terms", label: "Terms", value: `${siteUrl}/terms` },
    {
      key: "contact",
      label: festival.organizer,
      value: `${festival.contact.email}, ${festival.contact.phone}`,
    },
  );
}
