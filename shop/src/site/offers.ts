// Writes what is for sale into pages that are read without scripts: structured data for search engines and the plain list on
// /tickets. Owns how stale it may be; no page waits for it.
import { offeredOf, type ProductKind } from "contract/shop/kinds";
import { decimalText, formatCents } from "contract/shop/money";
import { type OfferState, offerState, type Shop, type Stock } from "contract/shop/sale";
import { type ShownPrice, shownPrice } from "contract/shop/shown-price";

export interface Offer {
  readonly name: string;
  readonly price: ShownPrice;
  readonly state: OfferState;
  /** What is no ticket admits nobody: it is listed, but is not an offer of the event. */
  readonly isTicket: boolean;
}

type Row = Stock & {
  readonly kind: string;
  readonly name: string;
  readonly price: number;
  readonly is_general: boolean;
  readonly product_kinds: Pick<ProductKind, "position" | "needs_attendee">;
};

/** Reads through the API, so that what visitors may not see stays hidden. */
export async function readOffers(ask: (path: string) => Promise<Response>): Promise<readonly Offer[]> {
  const [rows, shop] = (await Promise.all(
    [
      "/rest/v1/products?select=*,product_kinds(position,needs_attendee)&order=price",
      "/rest/v1/rpc/get_sale",
    ].map(async (path) => {
      const answer = await ask(path);
      if (!answer.ok) throw new Error(`What is for sale could not be read: ${answer.status}`);
      return answer.json();
    }),
  )) as [Row[], Shop];
  return offeredOf(rows).map((row) => {
    const { needs_attendee: isTicket } = row.product_kinds;
    const price = shownPrice(shop.fee, row.price, isTicket);
    return { name: row.name, price, state: offerState(row, shop, Date.now()), isTicket };
  });
}

export interface OffersOptions {
  /** Reads what is for sale now. */
  readonly read: () => Promise<readonly Offer[]>;
  /** Called when the offers have changed. */
  readonly onChange: () => void;
  /** Called on the first of several failures in a row: until a read succeeds, the pages show the previous offers. */
  readonly onFailure: (error: unknown) => void;
  readonly now: () => number;
}

/** The database is queried at most this often, and only while pages are requested. */
const FRESH_MS = 15_000;

export interface Offers {
  /** The last known offers; starts a refresh when they are too old. */
  current(): readonly Offer[];
}

export function createOffers({ read, onChange, onFailure, now }: OffersOptions): Offers {
  let known: readonly Offer[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  let failing = false;

  /** A failed read keeps the last offers; the next page retries. */
  async function refresh(): Promise<void> {
    let found;
    try {
      found = await read();
      failing = false;
    } catch (error) {
      if (!failing) onFailure(error);
      failing = true;
      return;
    }
    if (JSON.stringify(found) === JSON.stringify(known)) return;
    known = found;
    onChange();
  }

  return {
    current() {
      if (now() - askedAt >= FRESH_MS) {
        askedAt = now();
        void refresh();
      }
      return known;
    },
  };
}

/** The name in schema.org, and the words that replace the price in the list. */
const states: Readonly<Record<OfferState, readonly [availability: string, words: string | undefined]>> = {
  open: ["InStock", undefined],
  "sold-out": ["SoldOut", "Sold Out"],
  "no-parking": ["OutOfStock", "Not Available"],
  paused: ["OutOfStock", "Paused"],
  upcoming: ["PreOrder", "Not on Sale Yet"],
  ended: ["OutOfStock", "Sales Ended"],
};

const EVENT_OFFERS = '"offers":[]';
const LIST = /<ul data-offers="[^"]*"([^>]*)><\/ul>/;

export function showsOffers(html: string): boolean {
  return html.includes(EVENT_OFFERS) || LIST.test(html);
}

/** Fills the two placeholders that the site leaves for the offers. */
export function withOffers(html: string, offers: readonly Offer[], siteUrl: string): string {
  const event = offers
    .filter(({ isTicket }) => isTicket)
    .map(({ name, price, state }) => ({
      "@type": "Offer",
      name,
      price: decimalText(price.withFee),
      priceCurrency: "USD",
      availability: `https://schema.org/${states[state][0]}`,
      url: `${siteUrl}/tickets`,
    }));
  const list = offers.map(
    ({ name, price, state }) => `<li>${escapeText(`${name}: ${states[state][1] ?? priceWords(price)}`)}</li>`,
  );
  return html
    .replace(EVENT_OFFERS, () => `"offers":${JSON.stringify(event).replaceAll("<", "\\u003c")}`)
    .replace(LIST, (_list, attributes: string) => `<ul${attributes}>${list.join("")}</ul>`);
}

const priceWords = ({ cents, note }: ShownPrice) => formatCents(cents) + (note ? `. ${note}.` : "");

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
