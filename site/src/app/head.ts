// Title, description and sharing card of a page.
import { festival } from "contract/festival";

interface PageHead {
  /** Without the festival's name, which is added. */
  title: string;
  description: string;
  /** Pages of one person are nothing for a search engine. */
  personal?: boolean;
}

export function pageHead({ title, description, personal }: PageHead) {
  const full = title.includes(festival.title) ? title : `${title} | ${festival.title}`;
  return [
    { title: full },
    { name: "description", content: description },
    { property: "og:title", content: full },
    { property: "og:description", content: description },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: festival.title },
    { property: "og:image", content: `${import.meta.env.SITE_ORIGIN}/og.png` },
    { property: "og:image:width", content: "1200" },
    { property: "og:image:height", content: "630" },
    {
      property: "og:image:alt",
      content: `${festival.title}: ${festival.tagline}. ${festival.dateText}, Houston, Texas.`,
    },
    { name: "twitter:card", content: "summary_large_image" },
    ...(personal ? [{ name: "robots", content: "noindex" }] : []),
  ];
}
