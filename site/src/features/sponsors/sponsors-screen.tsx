import { Slab } from "#ui/art/slab.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Benefits } from "#ui/page/benefits.tsx";
import { FormSection } from "#ui/page/form-section.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { useSection } from "#lib/festival/content.ts";
import { Reveal } from "#ui/page/reveal.tsx";
import { InquiryForm } from "./inquiry-form.tsx";
import { levelLooks } from "./levels.ts";
import { OurSponsors } from "./our-sponsors.tsx";

export function SponsorsScreen() {
  const { lead, benefits, levels, sponsors } = useSection("sponsors");
  return (
    <>
      <PosterHeader
        ground="bayou"
        title="Sponsorship Opportunities"
        art={<Slab lettering={["Big", "Up"]} className="mb-8 w-[33rem] max-w-none" />}
      >
        <p>{lead}</p>
      </PosterHeader>
      <Benefits id="sponsor-benefits" title="Why Sponsor" benefits={benefits} columns={3} />
      {sponsors.length > 0 && <OurSponsors sponsors={sponsors} />}
      <section aria-labelledby="sponsor-tiers" className="on-ink">
        <div className="page-width py-16 lg:py-24">
          <h2 id="sponsor-tiers" className="display text-title text-brisket">
            Sponsorship Levels
          </h2>
          <Reveal as="ul" stagger className="mt-8 grid items-end gap-5 sm:grid-cols-2 lg:grid-cols-4">
            {levels.map(({ level, price, perks }) => (
              <li key={level} className={classNames("flex flex-col p-6", levelLooks[level].ground)}>
                <h3 className="display text-heading">{levelLooks[level].name}</h3>
                <p className="display mt-2 text-title">{price}</p>
                <ul className="mt-4 grid gap-1.5 border-t-2 border-current pt-4">
                  {perks.map((perk) => (
                    <li key={perk}>{perk}</li>
                  ))}
                </ul>
              </li>
            ))}
          </Reveal>
        </div>
      </section>
      <FormSection
        id="sponsor-inquiry"
        title="Sponsor Inquiry"
        text="Tell us who you are. We'll call you back within two business days."
      >
        <InquiryForm />
      </FormSection>
    </>
  );
}
