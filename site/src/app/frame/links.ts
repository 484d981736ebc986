// The links of the bar and the footer, and with them the public pages (app/pages.ts).
interface PageLink {
  readonly path: string;
  readonly label: string;
  /** A longer one, in the footer. */
  readonly footerLabel?: string;
  /** About the day itself: in the bar only when there is room. */
  readonly isOfTheDay?: true;
}

export const navigationLinks: readonly PageLink[] = [
  { path: "/", label: "Home" },
  { path: "/tickets", label: "Tickets" },
  { path: "/vendors", label: "Vendors", footerLabel: "Become a Vendor" },
  { path: "/sponsors", label: "Sponsors", footerLabel: "Sponsorship Opportunities" },
  { path: "/faq", label: "FAQ" },
  { path: "/about", label: "About", footerLabel: "About Us" },
  { path: "/schedule", label: "Schedule", isOfTheDay: true },
  { path: "/map", label: "Map", isOfTheDay: true },
];

export const smallPrintLinks: readonly PageLink[] = [
  { path: "/terms", label: "Terms" },
  { path: "/privacy", label: "Privacy" },
];
