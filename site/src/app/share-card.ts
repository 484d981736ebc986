// The picture that goes with a shared link. A module of its own: pages have it in their HTML, and only the back office in its script.
import type { Festival } from "contract/festival";
import { pictureSizes } from "contract/festival-pictures";
import type { SectionOf } from "contract/festival-sections";
import { pictureAddress } from "#lib/pictures/picture-address.ts";

/** The drawn card has the specified title and date in it. */
const DRAWN_FOR = "Houston Culture Festival 2025-06-27";
export const MARK = { path: "/icon-512.png", width: 512, height: 512 };

interface Card {
  /** On this site, or a whole address. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
}

/** The organiser's picture, else the drawn card, else for any other title or date the mark without words. */
export function cardOf(festival: Festival, { card }: SectionOf<"sharing">): Card {
  if (card) return { path: pictureAddress(card.file), alt: card.alt, ...pictureSizes.card };
  const { title, tagline, date, dateText, contact } = festival;
  const alt = `${title}: ${tagline}. ${dateText}, ${contact.city}.`;
  return `${title} ${date}` === DRAWN_FOR ? { path: "/og.png", alt, ...pictureSizes.card } : { alt, ...MARK };
}
