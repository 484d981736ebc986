// Where the frame leads. The footer calls some places by a longer name.
export const navigationLinks = [
  { to: "/", label: "Home" },
  { to: "/tickets", label: "Tickets" },
  { to: "/vendors", label: "Vendors", footerLabel: "Become a Vendor" },
  { to: "/sponsors", label: "Sponsors", footerLabel: "Sponsorship Opportunities" },
  { to: "/faq", label: "FAQ" },
  { to: "/about", label: "About", footerLabel: "About Us" },
] as const;

/** The day itself: in the bar where there is room. */
export const dayLinks = [
  { to: "/schedule", label: "Schedule" },
  { to: "/map", label: "Map" },
] as const;
