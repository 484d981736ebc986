// The short mails: refunds, organizers' messages, thanks for the two public forms, decisions on vendors, and alerts to the
// organizers.
import { formatAmount } from "contract/shop/currency";
import { googleCalendarLink } from "contract/festival/calendar";
import type { Festival } from "contract/festival/facts";
import { listed } from "contract/shop/kinds";
import { formatCents, toCents } from "contract/shop/money";
import type { Mail } from "contract/mail";
import type { ChangeInMail, RefundedItem } from "../answers.ts";
import type { FunctionDeps } from "../deps.ts";
import { dayText, momentText } from "../documents/words.ts";
import { type Block, button, ledger, links, paragraph, typed } from "./blocks.ts";
import { compose } from "./compose.ts";
import { oneClickUrl, unsubscribePage } from "./opt-out-links.ts";

/** `reason` as `confirm_order` and the back office give it. */
export interface Refund {
  readonly orderId: string;
  /** In the currency's smallest unit. */
  readonly cents: number;
  readonly currency: string;
  readonly reason: string;
  /** What is refunded; empty for a payment that bought nothing. */
  readonly items: readonly RefundedItem[];
  /** The titles of what else the order has, and stays valid. */
  readonly valid: readonly string[];
  /** The part of the refund that is the fee. */
  readonly fee: { readonly name: string; readonly cents: number };
}

const refundReasons: Readonly<Record<string, string>> = {
  sold_out:
    "Your payment reached us after the hold on your tickets had run out, and they were sold in the meantime.",
  too_many_tickets:
    "Your payment reached us after the hold on your tickets had run out, and with your other tickets they exceed the limit per buyer.",
  promo_used_up:
    "Your payment reached us after the hold on your tickets had run out, and your promo code had been used up in the meantime.",
  paid_twice: "Your order was already paid, and this was a second payment for it.",
  amount_differs: "The amount paid doesn't match the amount of the order.",
  order_cancelled: "The order had been canceled when your payment reached us.",
  festival_cancelled: "The festival had been canceled when your payment reached us.",
  currency_differs:
    "We sell in US dollars, and this payment was made in another currency. The order is not paid.",
  event_cancelled: "The festival is canceled. We are sorry.",
  event_changed: "The festival has changed, so we are refunding you.",
  duplicate: "These tickets were bought twice.",
};

export function refundMail(festival: Festival, to: string, name: string, refund: Refund): Promise<Mail> {
  const number = refund.orderId.slice(0, 8);
  return compose(festival, {
    to,
    subject: `Your refund for order ${number}`,
    preheader: `${formatAmount(refund.cents, refund.currency)} is on its way back to your card.`,
    title: "Your money is on its way back",
    blocks: [
      paragraph(
        `Hello ${name}, we are returning ${formatAmount(refund.cents, refund.currency)} for order ${number}.`,
      ),
      ...aboutRefund(refund),
      paragraph("The amount goes to the card you paid with. Banks take 5 to 10 days to show it."),
      paragraph(`Questions? Write to ${festival.contact.email} and include your order number.`),
    ],
  });
}

function aboutRefund({ reason, items, valid, cents, fee }: Refund): Block[] {
  const why = refundReasons[reason];
  const given = items.filter(({ quantity }) => quantity > 0);
  if (items.length > 0 && given.length === 0) {
    return [
      ...(why === undefined ? [] : [paragraph(why)]),
      ...(valid.length === 0
        ? []
        : [paragraph(`Your ${listed(valid).toLowerCase()} stay valid. This refund doesn't change them.`)]),
    ];
  }
  return [
    paragraph(why ?? "The organizers refunded the items listed here."),
    ...(given.length === 0 ? [] : refundedItems(given, fee, cents)),
  ];
}

function refundedItems(items: readonly RefundedItem[], fee: Refund["fee"], cents: number): Block[] {
  const lines = items.map((item): [string, string] => [
    `${item.quantity} x ${item.name}`,
    item.included ? "Included" : formatCents(toCents(item.amount)),
  ]);
  if (fee.cents > 0) lines.push([fee.name, formatCents(fee.cents)]);
  return [
    ledger(lines, ["Refunded", formatCents(cents)]),
    ...(items.some((item) => item.kind === "ticket")
      ? [paragraph("Refunded tickets are no longer valid.")]
      : []),
  ];
}

// Anybody can type a stranger's address into the public forms, so these mails repeat nothing that was typed, and neither does a
// refusal: the organizers refuse such a form. It says when the form was sent instead.
/** What each public form says to its sender. The subject ends with the festival's name. */
const thanks = {
  vendor: {
    subject: "We have your vendor application for",
    preheader: "Thank you for applying. The organizers will review it and write to you.",
    title: "Thanks for applying",
    texts: [
      "Hello, your vendor application has arrived.",
      "The organizers review every application and will write to this address with their decision.",
    ],
  },
  sponsor: {
    subject: "Thank you for your interest in sponsoring",
    preheader: "Your inquiry has arrived. We will be in touch.",
    title: "Let's talk",
    texts: [
      "Hello, and thank you. Your sponsor inquiry has arrived.",
      "Someone from the team will write or call to talk about what would fit.",
    ],
  },
} as const;

export type ThankedForm = keyof typeof thanks;
export const thankedForms = Object.keys(thanks) as ThankedForm[];

export function thanksMail(festival: Festival, form: ThankedForm, to: string): Promise<Mail> {
  const { subject, preheader, title, texts } = thanks[form];
  const blocks = texts.map((text) => paragraph(text));
  return compose(festival, { to, subject: `${subject} ${festival.title}`, preheader, title, blocks });
}

export interface Application {
  readonly booth_name: string;
  readonly contact_name: string;
  readonly contact_email: string;
  readonly submission_date: string;
}

export type Decision = "approved" | "rejected";

export function vendorDecisionMail(
  festival: Festival,
  { contact_email: to, contact_name: name, booth_name: booth, submission_date }: Application,
  decision: Decision,
): Promise<Mail> {
  if (decision === "approved") {
    return compose(festival, {
      to,
      subject: `${booth} is in: your vendor application was approved`,
      preheader: `See you on ${festival.dateText}.`,
      title: "You have a booth",
      blocks: [
        paragraph(
          `Hello ${name}, good news: ${booth} has a place at ${festival.title} on ${festival.dateText}.`,
        ),
        paragraph("The organizers will write to you about your booth, load-in times and what to bring."),
      ],
    });
  }
  return compose(festival, {
    to,
    subject: "About your vendor application",
    preheader: "The organizers have decided.",
    title: "Not this time",
    blocks: [
      paragraph(`Hello, thank you for offering a booth to ${festival.title}.`),
      paragraph(
        `The organizers have reviewed the application sent on ${dayText(new Date(submission_date))}, and cannot give you a booth this year. We hope you apply again.`,
      ),
    ],
  });
}

export interface Message {
  readonly subject: string;
  /** An empty line separates paragraphs. */
  readonly body: string;
  readonly name: string;
  readonly change: ChangeInMail | null;
  /** Of the links out; null for the announcement of a change, which everyone gets. */
  readonly token: string | null;
}

/** Whether and how the recipient gets money back; undefined when nobody does. */
function moneyWords({ contact }: Festival, { ask_until, refunds, paid }: ChangeInMail): string | undefined {
  if (refunds === "none") return undefined;
  if (paid === "nothing") return "Your ticket was free, so there is nothing to refund.";
  if (paid === "door") return `You paid at the door. Please write to ${contact.email} for your refund.`;
  if (ask_until !== null) {
    const until = `${momentText(new Date(ask_until))}, Central Time`;
    return paid === "online"
      ? `You can get your money back until ${until}. Open My Tickets and choose "Refund Order".`
      : `The person who bought your ticket can get the money back until ${until}.`;
  }
  return paid === "online"
    ? "Your money goes back to the card you paid with. Banks take 5 to 10 days to show it."
    : "The money goes back to the person who bought your ticket.";
}

function changeBlocks(festival: Festival, change: ChangeInMail, siteUrl: string): Block[] {
  const { kind } = change;
  const money = moneyWords(festival, change);
  return [
    ...(kind === "moved" ? [paragraph(`The new date: ${festival.dateText}, ${festival.hoursText}.`)] : []),
    ...(money === undefined ? [] : [paragraph(money)]),
    button("My Tickets", `${siteUrl}/my-tickets`),
    ...(kind === "moved"
      ? [
          paragraph("If the old date is on your calendar, replace it:"),
          links([
            ["Add to calendar", `${siteUrl}/festival.ics`],
            ["Google Calendar", googleCalendarLink(festival, siteUrl)],
          ]),
        ]
      : []),
  ];
}

/** An organizer's message, as typed, to a person who bought or holds tickets. */
export function messageMail(
  festival: Festival,
  to: string,
  { subject, body, name, change, token }: Message,
  urls: Pick<FunctionDeps, "siteUrl" | "functionsUrl">,
): Promise<Mail> {
  const paragraphs = body.split(/\n\s*\n/).filter((text) => text.trim() !== "");
  return compose(festival, {
    to,
    subject,
    preheader: paragraphs[0]?.slice(0, 140) ?? "",
    title: subject,
    unsubscribe:
      token === null ? undefined : { page: unsubscribePage(urls, token), oneClick: oneClickUrl(urls, token) },
    blocks: [
      ...(name ? [paragraph(`Hello ${name},`)] : []),
      ...paragraphs.map(typed),
      ...(change ? changeBlocks(festival, change, urls.siteUrl) : []),
      paragraph(`You are receiving this email because you bought or hold tickets for ${festival.title}.`),
    ],
  });
}

export interface Alert {
  /** Null if the payment belongs to none of our orders. */
  readonly orderId: string | null;
  readonly paymentIntentId: string;
  readonly reason: string;
}

const UNKNOWN_PAYMENT =
  "No order was changed. Look up the payment in the provider's back office. It may be for something else sold through the same account. If it is for this shop, its order is missing here, for example because an older backup was restored.";

/** True whether the provider accepts the refund or refuses it. */
const BEING_REFUNDED =
  "We asked the payment provider to refund it. The buyer gets an email once the provider accepts. If it refuses, the order shows the refund as failed.";

const alertWords: Readonly<Record<string, { subject: string; title: string; text: string }>> = {
  dispute_due: {
    subject: "A dispute is due in three days",
    title: "Answer the dispute",
    text: "The provider accepts evidence for at most three more days. Without it, the money is lost. Answer in the provider's back office. You'll find the deadline in ours, under Money, Disputes.",
  },
  refunded_at_provider: {
    subject: "A payment was refunded at the provider",
    title: "Refunded at the provider",
    text: "A payment was refunded in the provider's own back office. After a full refund, the order has ended and its tickets are void. After a partial refund, its tickets stay valid. If the money was for some of them, void those in the order, next to the refund.",
  },
  dispute_opened: {
    subject: "A payment is disputed",
    title: "Disputed payment",
    text: "The buyer's bank asks for the money back. Answer in the provider's back office in time. The tickets stay valid until it is decided.",
  },
  dispute_won: {
    subject: "A dispute was won",
    title: "Dispute won",
    text: "The bank has decided for the festival. The money stays, and so do the tickets.",
  },
  dispute_lost: {
    subject: "A dispute was lost",
    title: "Dispute lost",
    text: "The bank has returned the money to the buyer. If that was all of it, the order has ended and its tickets are void.",
  },
  unknown_refund: {
    subject: "A payment was refunded that this shop does not know",
    title: "Refund of an unknown payment",
    text: `The provider refunded a payment that doesn't belong to any order here. ${UNKNOWN_PAYMENT}`,
  },
  unknown_dispute: {
    subject: "A payment is disputed that this shop does not know",
    title: "Dispute of an unknown payment",
    text: `A bank has disputed a payment that doesn't belong to any order here. ${UNKNOWN_PAYMENT}`,
  },
  foreign_currency: {
    subject: "Money went back in another currency",
    title: "Returned in another currency",
    text: "The provider reports a refund or a lost dispute of this payment in a different currency from the one it was paid in. Nothing was recorded, and the tickets stay valid. Check in the provider's back office what was returned, then refund or cancel the order yourself.",
  },
  currency_differs: {
    subject: "A payment came in another currency",
    title: "Paid in another currency",
    text: `${BEING_REFUNDED} The order is not paid and stays as it was. The shop only charges US dollars. Check in the provider's back office where the payment came from.`,
  },
};
const unfulfilled = {
  subject: "A paid order could not be fulfilled",
  title: "Paid, but not fulfilled",
  text: `A payment arrived that could not become tickets. ${BEING_REFUNDED}`,
};

export function adminAlertMail(festival: Festival, to: string, alert: Alert, siteUrl: string): Promise<Mail> {
  const words = alertWords[alert.reason] ?? unfulfilled;
  return compose(festival, {
    to,
    subject: `${words.subject} (${alert.orderId?.slice(0, 8) ?? alert.paymentIntentId})`,
    preheader: words.text,
    title: words.title,
    blocks: [
      paragraph(words.text),
      ledger([
        ["Order", alert.orderId ?? "none"],
        ["Payment", alert.paymentIntentId],
        ["Reason", alert.reason.replaceAll("_", " ")],
      ]),
      alert.orderId === null
        ? button("Open the accounts", `${siteUrl}/admin/money/accounts`)
        : button("Open the order", `${siteUrl}/admin/orders/${alert.orderId}`),
    ],
  });
}
