// Where the frame leads. The footer calls some places by a longer name.
export const navigationLinks = [
  { to: "/", label: "Home" },
  { to: "/tickets", label: "Tickets" },
  { to: "/vendors", label: "Vendors", footerLabel: "Become a Vendor" },
  { to: "/sponsors", label: "Sponsors", footerLabel: "Sponsorship Opportunities" },
  { to: "/faq", label: "FAQ" },
  { to: "/about", label: "About", footerLabel: "About Us" },
] as const;
