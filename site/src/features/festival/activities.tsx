// About the Festival: five small posters, hung unevenly.
import { activities, type ActivityId } from "contract/programme";
import type { ComponentType, SVGProps } from "react";
import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Reveal } from "#ui/page/reveal.tsx";
import { Boots } from "#ui/art/boots.tsx";
import { Bull } from "#ui/art/bull.tsx";
import { Market } from "#ui/art/market.tsx";
import { Slab } from "#ui/art/slab.tsx";
import { Smoker } from "#ui/art/smoker.tsx";

interface Poster {
  Art: ComponentType<SVGProps<SVGSVGElement>>;
  ground: string;
  place: string;
  type: string;
}

const posters: Record<ActivityId, Poster> = {
  bbq: { Art: Smoker, ground: "bg-brisket text-ink", place: "md:col-span-7", type: "text-slab" },
  market: {
    Art: Market,
    ground: "bg-paper-deep text-ink",
    place: "md:col-span-5 md:mt-16",
    type: "text-candy-deep",
  },
  dancing: { Art: Boots, ground: "bg-bayou-deep text-paper", place: "md:col-span-5", type: "text-brisket" },
  slabs: { Art: Slab, ground: "bg-ink text-paper", place: "md:col-span-7 md:mt-10", type: "text-brisket" },
  bull: {
    Art: Bull,
    ground: "bg-candy text-white",
    place: "md:col-span-8 md:col-start-3",
    type: "text-paper",
  },
};

export function Activities() {
  return (
    <section aria-labelledby="about-festival" className="page-width py-20 lg:py-28">
      <Reveal className="grid items-end gap-6 md:grid-cols-12">
        <h2 id="about-festival" className="display text-headline text-candy md:col-span-7">
          About the Festival
        </h2>
        <p className="text-lead md:col-span-5">
          Smoke in the air, bass in your chest, candy paint in the sun. One day, every side of town, and
          everything that could only happen here.
        </p>
      </Reveal>
      <Reveal as="ul" stagger className="mt-12 grid items-start gap-x-7 gap-y-9 md:grid-cols-12">
        {activities.map(({ id, title, description }) => {
          const { Art, ground, place, type } = posters[id];
          return (
            <li
              key={id}
              className={classNames("relative isolate flex flex-col overflow-hidden", ground, place)}
            >
              <Art className="mx-auto mt-6 h-60 w-[90%] sm:h-80 lg:h-[25rem]" />
              <div className="p-5 sm:p-7">
                <h3 className={classNames("display text-title", type)}>{title}</h3>
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
