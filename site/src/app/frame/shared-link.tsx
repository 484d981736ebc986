import { useFestival, useSection } from "#lib/festival/content.ts";
import { cardOf } from "../share-card.ts";

/** A link to the home page as messages and posts render it. The back office previews the card with it. */
export function SharedLink() {
  const festival = useFestival();
  const { path, width, height, alt } = cardOf(festival, useSection("sharing"));
  return (
    <figure className="page-width max-w-2xl py-8">
      <div className="border border-ink/25 bg-sheet">
        <img src={path} alt={alt} width={width} height={height} className="h-auto w-full" />
        <div className="p-4">
          <p className="text-sm text-ink-soft">{location.host}</p>
          <p className="font-bold">
            {festival.title}: {festival.tagline}
          </p>
          <p className="text-sm">{festival.description}</p>
        </div>
      </div>
      <figcaption className="mt-3 text-sm text-ink-soft">
        As apps may show a link to the home page. They keep what they have fetched, some for days.
      </figcaption>
    </figure>
  );
}
