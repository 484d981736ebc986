import { Market } from "#ui/art/market.tsx";
import { Benefits } from "#ui/page/benefits.tsx";
import { FormSection } from "#ui/page/form-section.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { useSection } from "#lib/festival/content.ts";
import { VendorWizard } from "./vendor-wizard.tsx";

export function VendorsScreen() {
  const { lead, benefits } = useSection("vendors");
  return (
    <>
      <PosterHeader
        ground="brisket"
        title="Become a Vendor"
        art={<Market className="-mb-4 w-[34rem] max-w-none" />}
      >
        <p>{lead}</p>
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
