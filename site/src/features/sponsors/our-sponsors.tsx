import type { SectionOf } from "contract/festival/sections";
import { pictureAddress } from "#lib/pictures/picture-address.ts";

/** Current sponsors: logos at one height, and the name where there is no logo. */
export function OurSponsors({ sponsors }: Pick<SectionOf<"sponsors">, "sponsors">) {
  return (
    <section aria-labelledby="our-sponsors" className="page-width pb-16 lg:pb-24">
      <h2 id="our-sponsors" className="display text-title text-candy">
        Our Sponsors
      </h2>
      <ul className="mt-8 flex flex-wrap items-center gap-x-12 gap-y-8">
        {sponsors.map(({ name, logo }, at) => (
          // Two sponsors may share a name, and the list is never re-sorted.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="max-w-full">
            {logo ? (
              <img
                src={pictureAddress(logo.file)}
                alt={name}
                width={logo.width}
                height={logo.height}
                loading="lazy"
                className="h-20 w-auto max-w-full object-contain"
              />
            ) : (
              <span className="display text-heading wrap-anywhere">{name}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
