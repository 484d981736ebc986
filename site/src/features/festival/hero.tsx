// The poster at the top of the home page. Its layers are printed on top of each other: rays, sun, towers, type,
// slab.
import { Link } from "react-router";
import { useFestival, useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { DateBadge } from "#ui/art/date-badge.tsx";
import { HeroScene } from "./hero-scene.tsx";

/** A name longer than the specified one is set smaller, so that it stays on one line. */
const fitting = (line: string, letters: number, size: number) =>
  line.length > letters
    ? { fontSize: `calc(var(--text-poster) * ${(size * letters) / line.length})` }
    : undefined;

export function Hero() {
  const festival = useFestival();
  const { lead } = useSection("home");
  const [city, ...rest] = festival.title.split(" ");
  return (
    <section
      aria-labelledby="festival-title"
      className="relative isolate flex min-h-[max(40rem,100svh)] flex-col overflow-hidden bg-brisket pt-24 pb-[44vw] sm:pb-[30vw] lg:pt-26 lg:pb-[11svh]"
    >
      <div aria-hidden="true" className="sunburst absolute inset-0 -z-10" />
      <HeroScene />
      <div className="page-width flex flex-1 flex-col">
        <h1 id="festival-title" className="display overprint animate-fade-in text-slab">
          <span className="block text-poster" style={fitting(city!, 8, 1)}>
            {city}{" "}
          </span>
          <span
            className="mt-[0.1em] block text-[calc(var(--text-poster)*0.517)] leading-[0.86]"
            style={fitting(rest.join(" "), 17, 0.517)}
          >
            {rest.join(" ")}
          </span>
        </h1>
        <div className="@container relative mt-5 grid animate-fade-in gap-5 sm:max-w-md lg:mt-7">
          <p className="display w-fit -rotate-2 bg-ink px-4 pt-2 pb-2.5 text-3xl text-brisket sm:text-4xl">
            {festival.tagline}
          </p>
          <p className="max-w-[19rem] text-lead sm:max-w-[17.5rem] lg:max-w-[19rem] font-semibold">{lead}</p>
          <div className="flex flex-wrap gap-4">
            <Button asChild size="large" printed>
              <Link to="/tickets">Buy Tickets</Link>
            </Button>
            <Button asChild size="large" variant="secondary" className="bg-brisket!">
              <Link to="/about">
                Learn More<span className="sr-only"> about the festival</span>
              </Link>
            </Button>
            <DateBadge className="absolute right-0 bottom-0 w-[min(29vw,9rem)] rotate-9 sm:hidden @max-[14rem]:static" />
          </div>
        </div>
        <DateBadge className="absolute top-20 animate-fade-in right-[4vw] hidden w-44 rotate-9 sm:block lg:top-28 lg:right-[7vw] lg:w-60" />
      </div>
    </section>
  );
}
