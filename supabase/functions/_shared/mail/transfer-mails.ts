// Mails about a ticket that changes hands or is corrected: the link, its outcome, the new code, and notice that the old code is
// void.
import type { Festival } from "contract/festival/facts";
import type { Mail } from "contract/mail";
import { TIME_ZONE } from "contract/festival/time-zone";
import { button, ledger, links, paragraph } from "./blocks.ts";
import { compose } from "./compose.ts";
import { calendarLinks, count, keepPrivate, pictureOf, stubOf, type TicketForMail } from "./order-mails.ts";

/** The values that `queue_transfer_mail` writes. */
export const transferNews = ["offered", "accepted", "withdrawn", "expired"] as const;
export type TransferNews = (typeof transferNews)[number];

/** The values that `queue_ticket_mail` writes. */
export const ticketMailReasons = ["transferred", "corrected", "asked"] as const;
export type TicketMailReason = (typeof ticketMailReasons)[number];

export interface TransferForMail {
  readonly fromName: string;
  readonly toName: string;
  readonly toEmail: string;
  /** The names of the ticket types, one for each ticket. */
  readonly tickets: readonly string[];
}

/** The name goes on the left: it may be long, and only that column wraps. */
const listOf = ({ tickets, toName }: TransferForMail) =>
  ledger(
    Array.from(
      Map.groupBy(tickets, (name) => name),
      ([name, own]) => [`${name}, for ${toName}`, count(own.length)] as const,
    ),
  );
const ticketsOf = ({ tickets }: TransferForMail) => (tickets.length === 1 ? "ticket" : "tickets");

const moment = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  month: "long",
  day: "numeric",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

/** `link` carries the token after its #. The subject contains no name: anybody may type any name, and any address. */
export function offerMail(
  festival: Festival,
  transfer: TransferForMail,
  link: string,
  closesAt: Date,
): Promise<Mail> {
  const what = ticketsOf(transfer);
  const until = `${moment.format(closesAt)} Central Time`;
  return compose(festival, {
    to: transfer.toEmail,
    subject: `${count(transfer.tickets.length)} for ${festival.title} ${transfer.tickets.length === 1 ? "is" : "are"} waiting for you`,
    preheader: `Accept by ${until}. You don't need an account.`,
    title: transfer.tickets.length === 1 ? "A ticket for you" : "Tickets for you",
    blocks: [
      paragraph(
        `${transfer.fromName} would like to transfer ${count(transfer.tickets.length)} for ${festival.title} to you.`,
      ),
      listOf(transfer),
      button(`Accept the ${what}`, link),
      paragraph(
        `Please accept by ${until}. Until then, ${transfer.fromName} can cancel the offer. You don't need an account. Keep this link private, because anyone who opens it can accept.`,
      ),
      paragraph("If you weren't expecting this, you can ignore this email."),
    ],
  });
}

/** To the recipient of the link, when the ticket is no longer available. */
export function withdrawnMail(festival: Festival, transfer: TransferForMail): Promise<Mail> {
  const what = ticketsOf(transfer);
  return compose(festival, {
    to: transfer.toEmail,
    subject: `The ${what} for ${festival.title} you were offered ${transfer.tickets.length === 1 ? "is" : "are"} no longer available`,
    preheader: "The link in our earlier email no longer works.",
    title: "Offer canceled",
    blocks: [
      paragraph(
        `The ${what} that ${transfer.fromName} offered you ${transfer.tickets.length === 1 ? "is" : "are"} no longer available, and the link in our earlier email no longer works.`,
      ),
      listOf(transfer),
      paragraph(`Questions? Ask ${transfer.fromName}, or write to ${festival.contact.email}.`),
    ],
  });
}

/** To the person who passed it on. */
export function acceptedMail(festival: Festival, to: string, transfer: TransferForMail): Promise<Mail> {
  const what = ticketsOf(transfer);
  return compose(festival, {
    to,
    subject: `Your ${what} for ${festival.title} ${transfer.tickets.length === 1 ? "was" : "were"} accepted`,
    preheader: `The ${what} ${transfer.tickets.length === 1 ? "has" : "have"} a new holder and ${transfer.tickets.length === 1 ? "a new code" : "new codes"}.`,
    title: "Transferred",
    blocks: [
      paragraph(
        `${transfer.toName} (${transfer.toEmail}) has accepted your transfer. Your old ${transfer.tickets.length === 1 ? "code no longer works" : "codes no longer work"}.`,
      ),
      listOf(transfer),
    ],
  });
}

/** To the person who offered it, when nobody accepted in time. */
export function expiredMail(
  festival: Festival,
  to: string,
  transfer: TransferForMail,
  siteUrl: string,
): Promise<Mail> {
  const what = ticketsOf(transfer);
  const stay = transfer.tickets.length === 1 ? "code stays valid" : "codes stay valid";
  return compose(festival, {
    to,
    subject: `Your ${what} for ${festival.title} ${transfer.tickets.length === 1 ? "was" : "were"} not accepted in time`,
    preheader: `Transfers have closed, and your ${stay}.`,
    title: "Still yours",
    blocks: [
      paragraph(
        `${transfer.toName} (${transfer.toEmail}) did not accept in time, and transfers have closed. The ${what} ${transfer.tickets.length === 1 ? "stays" : "stay"} yours, and your ${stay}.`,
      ),
      listOf(transfer),
      button("See my tickets", `${siteUrl}/my-tickets`),
    ],
  });
}

const ticketWords: Readonly<Record<TicketMailReason, { readonly title: string; readonly text: string }>> = {
  transferred: {
    title: "See you there!",
    text: "The transfer is complete. Here is what you need to get in.",
  },
  corrected: {
    title: "Your new code",
    text: "The name or email address on your ticket was changed. This is your new code. The old one no longer works.",
  },
  asked: { title: "Your tickets again", text: "You asked us to send your tickets again. Here they are." },
};

/** The codes, to the address on the tickets. */
export function ticketMail(
  festival: Festival,
  to: string,
  why: TicketMailReason,
  tickets: readonly TicketForMail[],
  siteUrl: string,
): Promise<Mail> {
  const { title, text } = ticketWords[why];
  return compose(festival, {
    to,
    subject: `Your ${why === "corrected" ? "updated " : ""}${tickets.length === 1 ? "ticket" : "tickets"} for ${festival.title}`,
    preheader: `${count(tickets.length)} inside. Show the code at the gate on ${festival.dateText}.`,
    title,
    blocks: [
      paragraph(text),
      ...tickets.map(stubOf),
      paragraph(keepPrivate(tickets)),
      links(calendarLinks(festival, siteUrl)),
    ],
    attachments: tickets.map(pictureOf),
  });
}

/** To the holder of the old code. Does not name the person whom the ticket admits now. */
export function replacedMail(
  festival: Festival,
  to: string,
  ticket: Pick<TicketForMail, "id" | "ticketName" | "attendee">,
): Promise<Mail> {
  return compose(festival, {
    to,
    subject: `Your code for ${festival.title} is no longer valid`,
    preheader: "The code we emailed you no longer works.",
    title: "Code no longer valid",
    blocks: [
      paragraph("The ticket below was transferred or changed. The code we emailed you no longer works:"),
      ledger([[`${ticket.ticketName}, ${ticket.attendee}`, `Ticket ${ticket.id.slice(0, 8)}`]]),
      paragraph(`Questions? Ask the person who gave you the ticket, or write to ${festival.contact.email}.`),
    ],
  });
}
