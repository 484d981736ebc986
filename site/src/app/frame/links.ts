// The links of the bar and the footer. The footer uses longer labels for some.
export const navigationLinks = [
  { to: "/", label: "Home" },
  { to: "/tickets", label: "Tickets" },
  { to: "/vendors", label: "Vendors", footerLabel: "Become a Vendor" },
  { to: "/sponsors", label: "Sponsors", footerLabel: "Sponsorship Opportunities" },
  { to: "/faq", label: "FAQ" },
  { to: "/about", label: "About", footerLabel: "About Us" },
] as const;

/** Pages about the day itself, shown in the bar when there is room. */
export const dayLinks = [
  { to: "/schedule", label: "Schedule" },
  { to: "/map", label: "Map" },
] as const;
