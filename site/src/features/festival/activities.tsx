// About the Festival: five small posters, hung unevenly.
import type { Content } from "contract/festival/facts";
import type { ComponentType, SVGProps } from "react";
import { Link } from "react-router";
import { useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Reveal } from "#ui/page/reveal.tsx";
import { Boots } from "#ui/art/boots.tsx";
import { Bull } from "#ui/art/bull.tsx";
import { Market } from "#ui/art/market.tsx";
import { Slab } from "#ui/art/slab.tsx";
import { Smoker } from "#ui/art/smoker.tsx";

type Picture = Content["home"]["activities"][number]["picture"];

interface Poster {
  Art: ComponentType<SVGProps<SVGSVGElement>>;
  ground: string;
  type: string;
}

const posters: Record<Picture, Poster> = {
  bbq: { Art: Smoker, ground: "bg-brisket text-ink", type: "text-slab" },
  market: { Art: Market, ground: "bg-paper-deep text-ink", type: "text-candy-deep" },
  dancing: { Art: Boots, ground: "bg-bayou-deep text-paper", type: "text-brisket" },
  slabs: { Art: Slab, ground: "bg-ink text-paper", type: "text-brisket" },
  bull: { Art: Bull, ground: "bg-candy text-white", type: "text-paper" },
};

/** Two rows of two, with the fifth centred below them. */
const places = [
  "md:col-span-7",
  "md:col-span-5 md:mt-16",
  "md:col-span-5",
  "md:col-span-7 md:mt-10",
  "md:col-span-8 md:col-start-3",
  "md:col-span-8 md:col-start-3",
];

export function Activities() {
  const { about, activities } = useSection("home");
  return (
    <section aria-labelledby="about-festival" className="page-width py-20 lg:py-28">
      <Reveal className="grid items-end gap-6 md:grid-cols-12">
        <h2 id="about-festival" className="display text-headline text-candy md:col-span-7">
          About the Festival
        </h2>
        <p className="text-lead md:col-span-5">{about}</p>
      </Reveal>
      <Reveal as="ul" stagger className="mt-12 grid items-start gap-x-7 gap-y-9 md:grid-cols-12">
        {activities.map(({ picture, title, description }, at) => {
          const { Art, ground, type } = posters[picture];
          return (
            <li
              key={title}
              className={classNames(
                "@container relative isolate flex flex-col overflow-hidden",
                ground,
                places[at],
              )}
            >
              <Art className="mx-auto mt-6 h-60 w-[90%] sm:h-80 lg:h-[25rem]" />
              <div className="p-5 sm:p-7">
                {/* The largest size at which a word of a dozen letters fits. */}
                <h3
                  className={classNames(
                    "display text-[length:min(var(--text-title),14cqi)] leading-[0.92]",
                    type,
                  )}
                >
                  {title}
                </h3>
                <p className="mt-2 max-w-md">{description}</p>
              </div>
            </li>
          );
        })}
      </Reveal>
      <div className="mt-14 flex justify-center">
        <Button asChild size="large" printed>
          <Link to="/tickets">Get Your Tickets</Link>
        </Button>
      </div>
    </section>
  );
}
