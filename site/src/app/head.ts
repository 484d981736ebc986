// Title, description, address and sharing card of a page.
import { festival } from "contract/festival";

interface PageHead {
  /** Without the festival's name, which is added. */
  title: string;
  description: string;
  /** Pages of one person have none: they are nothing for a search engine. */
  path?: string;
}

const CARD = "/og.png";
/** The server wrote the real one into the page that is open; what React makes anew has to agree. */
export const siteOrigin =
  typeof document === "undefined"
    ? import.meta.env.SITE_ORIGIN
    : (document.querySelector<HTMLMetaElement>('[property="og:image"]')?.content.slice(0, -CARD.length) ??
      location.origin);

export function pageHead({ title, description, path }: PageHead) {
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

/** What stands in every page and never changes: script has no use for it. */
export const sharingCard: readonly Record<string, string>[] = import.meta.env.SSR
  ? [
      { property: "og:type", content: "website" },
      { property: "og:site_name", content: festival.title },
      { property: "og:image", content: siteOrigin + CARD },
      { property: "og:image:width", content: "1200" },
      { property: "og:image:height", content: "630" },
      {
        property: "og:image:alt",
        content: `${festival.title}: ${festival.tagline}. ${festival.dateText}, Houston, Texas.`,
      },
      { name: "twitter:card", content: "summary_large_image" },
    ]
  : [];
