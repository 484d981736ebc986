import { Market } from "#ui/art/market.tsx";
import { FormWithScript } from "#ui/forms/form-with-script.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Reveal } from "#ui/page/reveal.tsx";
import { VendorWizard } from "./vendor-wizard.tsx";

const benefits = [
  {
    title: "A Crowd That Buys",
    text: "Over 10,000 expected attendees across two days, hungry, curious and proud to spend it in town.",
  },
  {
    title: "A Real Booth",
    text: "A 10 by 10 pitch with canopy, power and a wash station nearby. You bring the goods.",
  },
  {
    title: "Your Name Out Loud",
    text: "Every vendor is on the map, in the program and on our channels before the weekend.",
  },
  { title: "Keep What You Make", text: "A flat fee and no share of your sales. What you earn is yours." },
] as const;

export function VendorsScreen() {
  return (
    <>
      <PosterHeader
        ground="brisket"
        title="Become a Vendor"
        art={<Market className="-mb-4 w-[34rem] max-w-none" />}
      >
        <p>
          Two days, Saturday and Sunday, and the whole city walking past your table. Food, fashion, records,
          art: bring what you make.
        </p>
      </PosterHeader>
      <section aria-labelledby="vendor-benefits" className="page-width py-16 lg:py-24">
        <h2 id="vendor-benefits" className="display text-title text-candy">
          Why Sell Here
        </h2>
        <Reveal as="ul" stagger className="mt-8 grid gap-x-10 gap-y-8 sm:grid-cols-2 lg:grid-cols-4">
          {benefits.map(({ title, text }) => (
            <li key={title} className="border-t-4 border-ink pt-4">
              <h3 className="display text-heading">{title}</h3>
              <p className="mt-2">{text}</p>
            </li>
          ))}
        </Reveal>
      </section>
      <section aria-labelledby="vendor-application" className="bg-paper-deep">
        <div className="page-width grid gap-x-12 gap-y-8 py-16 lg:grid-cols-12 lg:py-24">
          <div className="lg:col-span-4">
            <h2 id="vendor-application" className="display text-title">
              Vendor Application
            </h2>
            <p className="mt-4 text-lead">
              Three short steps. We read every application and answer by email.
            </p>
          </div>
          <div className="min-w-0 lg:col-span-8">
            <FormWithScript>
              <VendorWizard />
            </FormWithScript>
          </div>
        </div>
      </section>
    </>
  );
}
