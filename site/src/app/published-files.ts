// Machine-readable versions of the site's content: sitemap, robots, manifests, calendar. Made from the same content as the
// pages, so they cannot disagree.
import { calendarFile } from "contract/festival/calendar";
import type { Content, Festival } from "contract/festival/facts";
import { personalPaths, publicPaths } from "./pages.ts";

export const publishedFiles = (content: Content, origin: string): Record<string, string> => ({
  "sitemap.xml": [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...publicPaths.map((path) => `  <url><loc>${origin}${path}</loc></url>`),
    "</urlset>\n",
  ].join("\n"),
  "robots.txt": [
    "User-agent: *",
    ...["/admin", "/gate", ...personalPaths]
      .filter((path) => path !== "/auth")
      .toSorted()
      .map((path) => `Disallow: ${path}`),
    `Sitemap: ${origin}/sitemap.xml\n`,
  ].join("\n"),
  "manifest.webmanifest": JSON.stringify({
    name: content.festival.title,
    short_name: shortName(content.festival),
    description: content.festival.description,
    start_url: "/",
    display: "standalone",
    background_color: "#f2a541",
    theme_color: "#17130f",
    icons: [
      { src: "/favicon.svg", type: "image/svg+xml", sizes: "any" },
      { src: "/icon-192.png", type: "image/png", sizes: "192x192" },
      { src: "/icon-512.png", type: "image/png", sizes: "512x512", purpose: "any maskable" },
    ],
  }),
  "gate.webmanifest": JSON.stringify({
    id: "/gate",
    name: `Gate, ${content.festival.title}`,
    short_name: "Gate",
    description: "Scans guests in, online and offline.",
    start_url: "/gate",
    scope: "/gate",
    display: "standalone",
    background_color: "#17130f",
    theme_color: "#17130f",
    icons: [
      { src: "/gate-icon.svg", type: "image/svg+xml", sizes: "any" },
      { src: "/gate-192.png", type: "image/png", sizes: "192x192" },
      { src: "/gate-512.png", type: "image/png", sizes: "512x512", purpose: "any maskable" },
    ],
  }),
  "festival.ics": calendarFile(content.festival, origin),
  // Fetched by a page whose HTML does not contain it.
  "festival.json": JSON.stringify(content),
});

/** Phones truncate longer names. */
const shortName = ({ title }: Festival) =>
  title === "Houston Culture Festival" ? "Houston Fest" : title.slice(0, 12).trim();
