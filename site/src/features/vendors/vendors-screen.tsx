import { Market } from "#ui/art/market.tsx";
import { Benefits } from "#ui/page/benefits.tsx";
import { FormSection } from "#ui/page/form-section.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
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
      <Benefits id="vendor-benefits" title="Why Sell Here" benefits={benefits} columns={4} />
      <FormSection
        id="vendor-application"
        title="Vendor Application"
        text="Three short steps. We read every application and answer by email."
      >
        <VendorWizard />
      </FormSection>
    </>
  );
}
