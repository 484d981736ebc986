// Files that say again, for machines, what the pages say: sitemap, robots, manifests, calendar. From the same content, so they
// cannot disagree.
import type { Content, Festival } from "contract/festival";
import { publicPaths } from "./public-paths.ts";

export const publishedFiles = (content: Content, origin: string): Record<string, string> => ({
  "sitemap.xml": [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...publicPaths.map((path) => `  <url><loc>${origin}${path}</loc></url>`),
    "</urlset>\n",
  ].join("\n"),
  "robots.txt": [
    "User-agent: *",
    ...["/admin", "/checkout", "/dashboard", "/gate", "/my-tickets", "/order-confirmation"].map(
      (path) => `Disallow: ${path}`,
    ),
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
    description: "Lets people in, with and without a network.",
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
  "festival.ics": calendar(content.festival, origin),
  // What a page asks for that came without it.
  "festival.json": JSON.stringify(content),
});

/** Phones cut what is longer. */
const shortName = ({ title }: Festival) =>
  title === "Houston Culture Festival" ? "Houston Fest" : title.slice(0, 12).trim();

/** RFC 5545: lines end in CRLF, text escapes commas and semicolons, times are in UTC. */
function calendar(festival: Festival, origin: string): string {
  const utc = (time: string) => new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");
  const text = (value: string) => value.replace(/([\\,;])/g, "\\$1");
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//${festival.organiser}//${festival.title}//EN`,
    "BEGIN:VEVENT",
    // The same whatever the date: a calendar moves the entry it has.
    `UID:${festival.code}@houston-culture-festival`,
    `DTSTAMP:${utc(festival.startsAt)}`,
    `DTSTART:${utc(festival.startsAt)}`,
    `DTEND:${utc(festival.endsAt)}`,
    `SUMMARY:${text(festival.title)}`,
    `DESCRIPTION:${text(festival.tagline)}`,
    `LOCATION:${text(`${festival.grounds}, ${festival.contactAddress}`)}`,
    `URL:${origin}/`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}
