// A page's title, description, canonical address and sharing card.
import { contentNow, festivalNow } from "#lib/festival/content.ts";
import { cardOf, MARK } from "./share-card.ts";

interface PageHead {
  /** The festival's name is appended. */
  title: string;
  description: string;
  /** Absent on personal pages, which search engines must not index. */
  path?: string;
}

/** The server writes its own origin into the page; what React renders has to match. */
const siteOrigin =
  typeof document === "undefined"
    ? import.meta.env.SITE_ORIGIN
    : (document.querySelector<HTMLMetaElement>('[name="origin"]')?.content ?? location.origin);

export const absolute = (path: string): string => new URL(path, siteOrigin).href;

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

/** For every page except the gate, which is installed as a separate app. */
export const manifest = () => [{ rel: "manifest", href: "/manifest.webmanifest" }];

/** The same on every page, so it is only in the built HTML, not in the script. */
export const sharingCard = (): readonly Record<string, string>[] => {
  if (!import.meta.env.SSR) return [];
  const { festival, sharing } = contentNow();
  const { path, width, height, alt } = cardOf(festival, sharing);
  return [
    { name: "origin", content: siteOrigin },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: festival.title },
    { property: "og:image", content: absolute(path) },
    { property: "og:image:width", content: String(width) },
    { property: "og:image:height", content: String(height) },
    { property: "og:image:alt", content: alt },
    { name: "twitter:card", content: width > MARK.width ? "summary_large_image" : "summary" },
  ];
};
