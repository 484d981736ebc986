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
] as const;
