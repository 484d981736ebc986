// The pages outside of the back office. From these lists come their routes, what is prerendered, the sitemap and robots.txt. SQL
// has the same paths, so that it counts visits of nothing else (`site_page`).
import { navigationLinks, smallPrintLinks } from "./frame/links.ts";

/** Pages that are the same for everyone: listed in the sitemap. */
export const publicPaths = [...navigationLinks, ...smallPrintLinks].map(({ path }) => path);

/** Prerendered for their title and their text without script, but hidden from search engines. */
export const personalPaths = [
  "/auth",
  "/checkout",
  "/order-confirmation",
  "/dashboard",
  "/my-tickets",
  "/transfer",
  "/unsubscribe",
] as const;

export const prerenderedPaths = [...publicPaths, ...personalPaths, "/gate", "/404"];
