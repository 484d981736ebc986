// The pages that are the same for everyone: prerendered at build, listed in the sitemap.
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

/** Prerendered too, for their title and their words without script, but nothing for a search engine. */
export const personalPaths = [
  "/auth",
  "/checkout",
  "/order-confirmation",
  "/dashboard",
  "/my-tickets",
  "/404",
] as const;
