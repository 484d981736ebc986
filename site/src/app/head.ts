// A page's title, description, canonical address and sharing card.
import type { Festival } from "contract/festival";
import { festivalNow } from "#lib/festival/content.ts";

interface PageHead {
  /** The festival's name is appended. */
  title: string;
  description: string;
  /** Absent on personal pages, which search engines must not index. */
  path?: string;
}

/** The card's picture with the specified title and date, and the mark without words for any other. */
const CARD = { drawnFor: "Houston Culture Festival 2025-06-27", path: "/og.png", plain: "/icon-512.png" };

export const cardOf = ({ title, date }: Festival): string =>
  `${title} ${date}` === CARD.drawnFor ? CARD.path : CARD.plain;

/** The server writes its own origin into the page; what React renders has to match. */
export const siteOrigin =
  typeof document === "undefined"
    ? import.meta.env.SITE_ORIGIN
    : (document.querySelector<HTMLMetaElement>('[property="og:image"]')?.content.replace(/\/[^/]*$/, "") ??
      location.origin);

export function pageHead({ title, description, path }: PageHead) {
  const festival = festivalNow();
  const full = title.includes(festival.title) ? title : `${title} | ${festival.title}`;
  return [
    { title: full },
    { name: "description", content: description },
    { property: "og:title", content: full },
    { property: "og:description", content: description },
    ...(path
      ? [
          { property: "og:url", content: siteOrigin + path },
          { tagName: "link", rel: "canonical", href: siteOrigin + path },
        ]
      : [{ name: "robots", content: "noindex" }]),
  ];
}

/** Of every page but the gate, which is installed as an app of its own. */
export const manifest = () => [{ rel: "manifest", href: "/manifest.webmanifest" }];

/** The same on every page, so it is only in the built HTML, not in the script. */
export const sharingCard = (): readonly Record<string, string>[] => {
  if (!import.meta.env.SSR) return [];
  const festival = festivalNow();
  const isDrawn = cardOf(festival) === CARD.path;
  return [
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: festival.title },
    { property: "og:image", content: siteOrigin + cardOf(festival) },
    { property: "og:image:width", content: isDrawn ? "1200" : "512" },
    { property: "og:image:height", content: isDrawn ? "630" : "512" },
    {
      property: "og:image:alt",
      content: `${festival.title}: ${festival.tagline}. ${festival.dateText}, ${festival.contact.city}.`,
    },
    { name: "twitter:card", content: isDrawn ? "summary_large_image" : "summary" },
  ];
};
