import type { Content, Festival } from "contract/festival/facts";
import { pictureAddress } from "#lib/pictures/picture-address.ts";
import { absolute } from "./head.ts";
import { cardOf } from "./share-card.ts";

const statuses = {
  planned: "https://schema.org/EventScheduled",
  moved: "https://schema.org/EventRescheduled",
  cancelled: "https://schema.org/EventCancelled",
} as const satisfies Record<Festival["status"], string>;

/** The festival as a schema.org Event, for search results. */
export const festivalEvent = ({ festival, sponsors, sharing }: Content) => ({
  "@context": "https://schema.org",
  "@type": "Festival",
  name: festival.title,
  description: festival.description,
  startDate: festival.startsAt,
  endDate: festival.endsAt,
  eventStatus: statuses[festival.status],
  image: [absolute(cardOf(festival, sharing).path)],
  location: {
    "@type": "Place",
    name: festival.grounds,
    address: {
      "@type": "PostalAddress",
      streetAddress: festival.contact.street,
      addressLocality: festival.contact.city,
      addressRegion: festival.contact.region,
      postalCode: festival.contact.postalCode,
      addressCountry: "US",
    },
  },
  organizer: { "@type": "Organization", name: festival.organizer },
  ...(sponsors.sponsors.length > 0 && { sponsor: sponsors.sponsors.map(organization) }),
  // The server fills this in with what is for sale.
  offers: [],
});

const organization = ({ name, logo }: Content["sponsors"]["sponsors"][number]) => ({
  "@type": "Organization",
  name,
  ...(logo && { logo: absolute(pictureAddress(logo.file)) }),
});
