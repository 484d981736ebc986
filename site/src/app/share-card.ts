// The picture of a shared link. A separate module: pages have it in their HTML, and only the back office in its script.
import type { Festival } from "contract/festival/facts";
import { cardSize } from "contract/festival/pictures";
import type { SectionOf } from "contract/festival/sections";
import { pictureAddress } from "#lib/pictures/picture-address.ts";

/** The specified title and date are part of the drawn card. */
const DRAWN_FOR = "Houston Culture Festival 2025-06-27";
export const MARK = { path: "/icon-512.png", width: 512, height: 512 };

interface Card {
  /** A path on this site, or a full URL. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
}

/** The organizer's picture, else the drawn card. Any other title or date gets the mark without text. */
export function cardOf(festival: Festival, { card }: SectionOf<"sharing">): Card {
  if (card) return { path: pictureAddress(card.file), alt: card.alt, ...cardSize };
  const { title, tagline, date, dateText, contact } = festival;
  const alt = `${title}: ${tagline}. ${dateText}, ${contact.city}.`;
  return `${title} ${date}` === DRAWN_FOR ? { path: "/og.png", alt, ...cardSize } : { alt, ...MARK };
}
