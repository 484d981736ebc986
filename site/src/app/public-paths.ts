// Pages that are the same for everyone: prerendered at build and listed in the sitemap.
export const publicPaths = [
  "/",
  "/tickets",
  "/vendors",
  "/sponsors",
  "/faq",
  "/about",
  "/schedule",
  "/map",
  "/terms",
  "/privacy",
] as const;

/** Prerendered for their title and their text without script, but hidden from search engines. */
export const personalPaths = [
  "/auth",
  "/checkout",
  "/order-confirmation",
  "/dashboard",
  "/my-tickets",
  "/transfer",
  "/unsubscribe",
  "/gate",
  "/404",
] as const;
