// A page's title, description, canonical address and sharing card.
import { festival } from "contract/festival";

interface PageHead {
  /** The festival's name is appended. */
  title: string;
  description: string;
  /** Absent on personal pages, which search engines must not index. */
  path?: string;
}

const CARD = "/og.png";
/** The server writes its own origin into the page; what React renders has to match. */
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

/** Of every page but the gate, which is installed as an app of its own. */
export const manifest = () => [{ rel: "manifest", href: "/manifest.webmanifest" }];

/** The same on every page, so it is only in the built HTML, not in the script. */
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
