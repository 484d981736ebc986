import { Slab } from "#ui/art/slab.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Benefits } from "#ui/page/benefits.tsx";
import { FormSection } from "#ui/page/form-section.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Reveal } from "#ui/page/reveal.tsx";
import { InquiryForm } from "./inquiry-form.tsx";
import { sponsorshipTiers } from "./tiers.ts";

const benefits = [
  {
    title: "Be Where Houston Is",
    text: "Over 10,000 expected attendees across two days, from every zip code in the county.",
  },
  {
    title: "Be Part of It",
    text: "No banners on a fence. Put your name to a stage, a cook-off, the slab line or the water stations.",
  },
  {
    title: "Do Some Good",
    text: "Sponsorship pays for lessons, stage trainees and free tickets for neighborhood schools.",
  },
] as const;

export function SponsorsScreen() {
  return (
    <>
      <PosterHeader
        ground="bayou"
        title="Sponsorship Opportunities"
        art={<Slab lettering={["Big", "Up"]} className="mb-8 w-[33rem] max-w-none" />}
      >
        <p>
          A two-day weekend of food, music, dance and candy paint. Stand with the culture while it is being
          made.
        </p>
      </PosterHeader>
      <Benefits id="sponsor-benefits" title="Why Sponsor" benefits={benefits} columns={3} />
      <section aria-labelledby="sponsor-tiers" className="on-ink">
        <div className="page-width py-16 lg:py-24">
          <h2 id="sponsor-tiers" className="display text-title text-brisket">
            Sponsorship Levels
          </h2>
          <Reveal as="ul" stagger className="mt-8 grid items-end gap-5 sm:grid-cols-2 lg:grid-cols-4">
            {sponsorshipTiers.map(({ level, name, price, perks, ground }) => (
              <li key={level} className={classNames("flex flex-col p-6", ground)}>
                <h3 className="display text-heading">{name}</h3>
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
        text="Tell us who you are. We call back within two working days."
      >
        <InquiryForm />
      </FormSection>
    </>
  );
}
