// The mail to a person on the waitlist whose turn has come.
import type { Festival } from "contract/festival/facts";
import type { Mail } from "contract/mail";
import { button, paragraph } from "./blocks.ts";
import { compose } from "./compose.ts";
import { moment } from "./moment.ts";

export interface WaitlistOffer {
  readonly email: string;
  /** Name of the ticket type. */
  readonly name: string;
  readonly offered: number;
  /** How many they asked for. */
  readonly quantity: number;
  /** ISO time. */
  readonly offer_expires_at: string;
}

export function waitlistOfferMail(festival: Festival, offer: WaitlistOffer, siteUrl: string): Promise<Mail> {
  const { email, name, offered, quantity } = offer;
  const until = moment(offer.offer_expires_at);
  // No-break spaces keep the number on one line with the name's first word.
  const what = `${offered}\u00A0×\u00A0${name}`;
  return compose(festival, {
    to: email,
    subject: `Your turn: ${what} for ${festival.title}`,
    preheader: `Held for you until ${until}.`,
    title: "It's your turn",
    blocks: [
      paragraph(
        `You waited for tickets to ${festival.title}, and some are available. ${what} ${offered === 1 ? "is" : "are"} held for you until ${until}.`,
      ),
      ...(offered < quantity
        ? [paragraph(`You asked for ${quantity}. Buy these, and you stay first in line for the rest.`)]
        : []),
      button("Buy my tickets", `${siteUrl}/tickets`),
      paragraph(
        `Sign in as ${email}. The tickets are held for this account only. If you don't buy them by then, they go to the next person in line and you lose your place.`,
      ),
      paragraph(
        "No longer want them? Leave the waitlist on the tickets page, and they go to the next person in line.",
      ),
    ],
  });
}
