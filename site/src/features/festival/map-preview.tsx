import { Link } from "react-router";
import { useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { Reveal } from "#ui/page/reveal.tsx";
import { mapAreaArt } from "#ui/art/map-areas.tsx";
import { MapGround } from "#ui/art/map-ground.tsx";

/** The preview calls the gate simply "Entrance". */
const previewName = (name: string) => name.replace("Main Entrance", "Entrance");

/** The map as a picture; the real one is a click away. */
export function MapPreview() {
  const { areas } = useSection("map");
  if (areas.length === 0) return null;
  return (
    <section aria-labelledby="festival-map" className="relative overflow-hidden bg-paper-deep">
      <div className="page-width grid items-center gap-10 py-20 lg:grid-cols-[minmax(min-content,1fr)_2fr] lg:py-28">
        <div>
          <h2 id="festival-map" className="display text-headline wrap-break-word text-bayou-deep">
            Festival Map
          </h2>
          <ul className="mt-6 border-t-2 border-ink">
            {areas.map(({ place, name }) => (
              <li key={place} className="display border-b-2 border-ink py-2 text-2xl">
                {previewName(name)}
              </li>
            ))}
          </ul>
          <Button asChild size="large" printed className="mt-8 max-xl:px-5!">
            <Link to="/map">Explore Interactive Map</Link>
          </Button>
        </div>
        <Reveal className="lg:-mr-24 lg:rotate-2">
          <svg
            viewBox="0 0 1200 800"
            aria-hidden="true"
            className="block w-full border-4 border-ink shadow-[12px_12px_0_0_var(--color-candy)]"
          >
            <MapGround />
            {areas.map(({ place }) => (
              <g key={place}>{mapAreaArt[place]}</g>
            ))}
          </svg>
        </Reveal>
      </div>
    </section>
  );
}
