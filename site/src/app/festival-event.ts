import type { Festival } from "contract/festival";
import { cardOf, siteOrigin } from "./head.ts";

const statuses = {
  planned: "https://schema.org/EventScheduled",
  moved: "https://schema.org/EventRescheduled",
  cancelled: "https://schema.org/EventCancelled",
} as const satisfies Record<Festival["status"], string>;

/** The festival as schema.org's Event, for search results. */
export const festivalEvent = (festival: Festival) => ({
  "@context": "https://schema.org",
  "@type": "Festival",
  name: festival.title,
  description: festival.description,
  startDate: festival.startsAt,
  endDate: festival.endsAt,
  eventStatus: statuses[festival.status],
  image: [siteOrigin + cardOf(festival)],
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
  organizer: { "@type": "Organization", name: festival.organiser },
  // The server fills these in with what is for sale.
  offers: [],
});
