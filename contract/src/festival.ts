// The facts of the festival: one place for what pages, mails, calendar and structured data repeat.
// Prices and stock are not here, they live in the database.

export const festival = {
  title: "Houston Culture Festival",
  tagline: "That's So Houston",
  organiser: "Bayou City Social",
  description:
    "A one-day celebration of Houston: BBQ, fashion, line dancing, slab cars and music, under one big Texas sky.",
  date: "2025-06-27",
  dateText: "June 27, 2025",
  /** The footer's spelling. */
  dateTextOrdinal: "June 27th, 2025",
  hoursText: "11:00 AM to 10:00 PM",
  /** With the offset of America/Chicago in June. */
  startsAt: "2025-06-27T11:00:00-05:00",
  endsAt: "2025-06-27T22:00:00-05:00",
  timeZone: "America/Chicago",
  grounds: "Festival Grounds",
  contact: {
    email: "hello@bayoucitysocial.example",
    phone: "(713) 555-0127",
    street: "500 Buffalo Bend",
    city: "Houston",
    region: "TX",
    postalCode: "77002",
  },
} as const;

export const contactAddress = `${festival.contact.street}, ${festival.contact.city}, ${festival.contact.region} ${festival.contact.postalCode}`;
