// The mails to a buyer and their guests about a confirmed order: every ticket, and whatever else has a code, with its code in the mail
// itself.
import { googleCalendarLink } from "contract/festival/calendar";
import type { Festival } from "contract/festival/facts";
import { capitalized, countsOf, listed, namesOf, type ProductKind } from "contract/shop/kinds";
import { formatCents, lineTotal, toCents } from "contract/shop/money";
import type { Mail } from "contract/mail";
import { type Block, button, heading, ledger, links, paragraph, ticketStub } from "./blocks.ts";
import { compose } from "./compose.ts";

export interface OrderForMail {
  readonly id: string;
  readonly channel: string;
  readonly buyer_full_name: string;
  readonly buyer_email: string;
  readonly total_amount: number;
  readonly discount_amount: number;
  readonly promo_code: string | null;
  readonly fee_amount: number;
  readonly fee_name: string | null;
  readonly fee_refunded: number;
  readonly order_items: readonly {
    name: string;
    quantity: number;
    unit_price: number;
    included: boolean;
    refunded: number;
    refunded_amount: number;
  }[];
}

export interface TicketForMail {
  readonly id: string;
  readonly ticketName: string;
  readonly attendee: string;
  readonly kind: ProductKind;
  /** PNG of the entry code. */
  readonly qrCode: Uint8Array;
}

export function orderMail(
  festival: Festival,
  order: OrderForMail,
  codes: readonly TicketForMail[],
  siteUrl: string,
): Promise<Mail> {
  const number = order.id.slice(0, 8);
  return compose(festival, {
    to: order.buyer_email,
    subject: `Your tickets for ${festival.title} (order ${number})`,
    preheader: `${countsOf(codes.map(unit))} inside. Show each code at the gate on ${festival.dateText}.`,
    title: "You're in!",
    blocks: [
      paragraph(welcome(festival, order)),
      ...[...Map.groupBy(codes, ({ kind }) => kind.title)].flatMap(([title, ofKind]) => [
        heading(`Your ${title.toLowerCase()}`),
        ...ofKind.map(stubOf),
      ]),
      paragraph(keepPrivate(codes)),
      // Only an online order belongs to an account, and a comp costs nothing.
      ...(order.channel === "online" ? accountLinks(order.id, siteUrl) : []),
      links(calendarLinks(festival, siteUrl)),
      ...(order.channel === "comp" ? [] : [heading("Your order"), ledger(...linesOf(order))]),
    ],
    attachments: codes.map(pictureOf),
  });
}

function welcome(festival: Festival, order: OrderForMail): string {
  const number = order.id.slice(0, 8);
  if (order.channel === "comp") {
    return `Hello ${order.buyer_full_name}, you are ${festival.organizer}'s guest at ${festival.title}: your ticket is free.`;
  }
  if (order.channel === "door") return `Thank you. This is what you bought at the door, order ${number}.`;
  const paid = order.total_amount > 0 ? "Your payment came through and" : "There is nothing to pay, and";
  return `Thank you, ${order.buyer_full_name}. ${paid} your order ${number} is confirmed.`;
}

/** For an attendee with their own address: only that person's tickets, and nothing about money. */
export function attendeeMail(
  festival: Festival,
  to: string,
  order: Pick<OrderForMail, "buyer_full_name">,
  tickets: readonly TicketForMail[],
  siteUrl: string,
): Promise<Mail> {
  return compose(festival, {
    to,
    // Without the buyer's name: it is free text, and the mail goes to any address the buyer has typed.
    subject: `Your ${tickets.length === 1 ? "ticket" : "tickets"} for ${festival.title}`,
    preheader: `${count(tickets.length)} inside. Show the code at the gate on ${festival.dateText}.`,
    title: "See you there!",
    blocks: [
      paragraph(
        `${order.buyer_full_name} bought you ${tickets.length === 1 ? "a ticket" : "tickets"} for ${festival.title}.`,
      ),
      ...tickets.map(stubOf),
      paragraph(keepPrivate(tickets)),
      links(calendarLinks(festival, siteUrl)),
    ],
    attachments: tickets.map(pictureOf),
  });
}

/** For an attendee whose codes no longer admit, or the buyer if no refund's mail says so. Nothing about money. */
export function voidMail(
  festival: Festival,
  to: string,
  order: Pick<OrderForMail, "buyer_full_name" | "buyer_email" | "channel">,
  codes: readonly Omit<TicketForMail, "qrCode">[],
): Promise<Mail> {
  const one = codes.length === 1;
  const lost = namesOf(codes.map(unit));
  const what = `${lost} for ${festival.title}`;
  const isGiven = order.channel === "online" && to !== order.buyer_email.toLowerCase();
  const from = isGiven ? `${order.buyer_full_name} bought you` : originOf(order.channel);
  return compose(festival, {
    to,
    subject: `Your ${what} ${one ? "is" : "are"} no longer valid`,
    preheader: one ? "Its code no longer works." : "Their codes no longer work.",
    title: `${capitalized(lost)} no longer valid`,
    blocks: [
      paragraph(
        `The ${what} that ${from} ${one ? "is" : "are"} no longer valid, and ${one ? "its code no longer works" : "their codes no longer work"}:`,
      ),
      ledger(
        codes.map((code) => [
          `${code.ticketName}, ${code.attendee}`,
          `${capitalized(code.kind.label)} ${code.id.slice(0, 8)}`,
        ]),
      ),
      paragraph(
        isGiven
          ? `Questions? Ask ${order.buyer_full_name}, or write to ${festival.contact.email}.`
          : `Questions? Write to ${festival.contact.email}.`,
      ),
    ],
  });
}

const unit = ({ kind }: Pick<TicketForMail, "kind">) => ({ kind, quantity: 1 });

function originOf(channel: string): string {
  if (channel === "comp") return "we gave you";
  return channel === "door" ? "you bought at the door" : "you bought";
}

/** Includes later refunds, so that the total is what the buyer has paid for what is left. */
function linesOf(order: OrderForMail): Parameters<typeof ledger> {
  const { order_items, total_amount } = order;
  const refunded =
    toCents(order.fee_refunded) + order_items.reduce((sum, item) => sum + toCents(item.refunded_amount), 0);
  const lines = order_items.map((item): [string, string] => [
    `${item.quantity} x ${item.name}${item.refunded > 0 ? ` (${item.refunded} refunded)` : ""}`,
    item.included ? "Included" : formatCents(lineTotal(item.unit_price, item.quantity)),
  ]);
  const discount = toCents(order.discount_amount);
  if (discount > 0) lines.push([`Promo code ${order.promo_code}`, formatCents(-discount)]);
  if (order.fee_amount > 0) lines.push([order.fee_name ?? "Fee", formatCents(toCents(order.fee_amount))]);
  const paid = toCents(total_amount);
  if (refunded === 0) return [lines, ["Total paid", formatCents(paid)]];
  return [
    [...lines, ["Refunded", formatCents(-refunded)]],
    ["Total after refunds", formatCents(paid - refunded)],
  ];
}

const accountLinks = (orderId: string, siteUrl: string): Block[] => [
  button("See my tickets", `${siteUrl}/my-tickets`),
  links([["Tickets and receipt as PDF", `${siteUrl}/order-confirmation?orderId=${orderId}`]]),
];

export const calendarLinks = (festival: Festival, siteUrl: string) =>
  [
    ["Add to calendar", `${siteUrl}/festival.ics`],
    ["Google Calendar", googleCalendarLink(festival, siteUrl)],
  ] as const;

/** Below the codes in a mail. */
export function keepPrivate(codes: readonly Pick<TicketForMail, "kind">[]): string {
  const [whose, them] = codes.length === 1 ? ["Your", "it"] : ["Each", "them"];
  const whom = [...new Set(codes.map(({ kind }) => `one ${kind.admits}`))];
  return `${whose} code admits ${listed(whom, "or")}, one time. Keep ${them} private, and show ${them} on your phone or on paper.`;
}

export const count = (tickets: number): string => (tickets === 1 ? "1 ticket" : `${tickets} tickets`);

const cidOf = (ticket: TicketForMail): string => `ticket-${ticket.id}`;

export function stubOf(ticket: TicketForMail): Block {
  const { ticketName, attendee } = ticket;
  return ticketStub({
    ticketName,
    attendee,
    kind: capitalized(ticket.kind.label),
    cid: cidOf(ticket),
    number: ticket.id.slice(0, 8),
  });
}

export function pictureOf(ticket: TicketForMail) {
  return {
    filename: `${ticket.kind.kind}-${ticket.id}.png`,
    content: ticket.qrCode,
    contentType: "image/png",
    cid: cidOf(ticket),
  };
}
