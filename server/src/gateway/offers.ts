// What is for sale, as the pages say it that are read without script: search engines' structured data and the plain list
// on /tickets. Owns how old that may be; a page is never kept waiting for it.
import { type Sale, saleState } from "contract/sale";

export interface Offer {
  readonly name: string;
  readonly price: number;
  readonly available: boolean;
}

/** Asked through the API, so that what is hidden from visitors stays hidden. */
export async function readOffers(ask: (path: string) => Promise<Response>): Promise<readonly Offer[]> {
  const answer = await ask("/rest/v1/ticket_types?select=*&order=price");
  if (!answer.ok) throw new Error(`What is for sale could not be read: ${answer.status}`);
  const types = (await answer.json()) as (Sale & Omit<Offer, "available"> & { current_inventory: number })[];
  return types.map((type) => ({
    name: type.name,
    price: type.price,
    available: type.current_inventory > 0 && saleState(type, Date.now()) === "open",
  }));
}

export interface OffersOptions {
  /** What is for sale now. */
  readonly read: () => Promise<readonly Offer[]>;
  /** Called when it has changed. */
  readonly onChange: () => void;
  readonly now: () => number;
}

/** So often at most the database is asked, and only while pages are. */
const FRESH_MS = 15_000;

export interface Offers {
  /** What was known last; asks again when that is too long ago. */
  current(): readonly Offer[];
}

export function createOffers({ read, onChange, now }: OffersOptions): Offers {
  let known: readonly Offer[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;

  async function refresh(): Promise<void> {
    // What cannot be read now stays as it was: the next page asks again.
    const found = await read().catch(() => known);
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

const EVENT_OFFERS = '"offers":[]';
const LIST = /<ul data-offers="[^"]*"([^>]*)><\/ul>/;

export function showsOffers(html: string): boolean {
  return html.includes(EVENT_OFFERS) || LIST.test(html);
}

/** Fills the two places that the site leaves empty for them. */
export function withOffers(html: string, offers: readonly Offer[], siteUrl: string): string {
  const event = offers.map(({ name, price, available }) => ({
    "@type": "Offer",
    name,
    price: price.toFixed(2),
    priceCurrency: "USD",
    availability: `https://schema.org/${available ? "InStock" : "SoldOut"}`,
    url: `${siteUrl}/tickets`,
  }));
  const list = offers.map(
    ({ name, price, available }) =>
      `<li>${escapeText(name)}: ${available ? `$${price.toFixed(2)}` : "Sold Out"}</li>`,
  );
  return html
    .replace(EVENT_OFFERS, () => `"offers":${JSON.stringify(event).replaceAll("<", "\\u003c")}`)
    .replace(LIST, (_list, attributes: string) => `<ul${attributes}>${list.join("")}</ul>`);
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
