// The festival's facts: composes the form with the pages that preview the edits.
import { FestivalScreen } from "#features/admin-festival/festival-screen.tsx";
import { TicketsFacts } from "#features/catalog/tickets-facts.tsx";
import { AboutScreen } from "#features/festival/about-screen.tsx";
import { FaqScreen } from "#features/festival/faq-screen.tsx";
import HomeScreen from "#features/festival/home-screen.tsx";
import { MapScreen } from "#features/festival/map-screen.tsx";
import { ScheduleScreen } from "#features/festival/schedule-screen.tsx";
import { SponsorsScreen } from "#features/sponsors/sponsors-screen.tsx";
import { VendorsScreen } from "#features/vendors/vendors-screen.tsx";
import { useSection } from "#lib/festival/content.ts";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { adminHead } from "../../admin-head.ts";
import { SharedLink } from "../../frame/shared-link.tsx";
import Footer from "../../frame/footer.tsx";

export const meta = () => adminHead("Festival");

const pages = {
  facts: (
    <>
      <HomeScreen />
      <Footer />
    </>
  ),
  home: <HomeScreen />,
  schedule: <ScheduleScreen />,
  faq: <FaqScreen />,
  map: <MapScreen />,
  tickets: <TicketsTexts />,
  about: <AboutScreen />,
  vendors: <VendorsScreen />,
  sponsors: <SponsorsScreen />,
  sharing: <SharedLink />,
};

export default function FestivalRoute() {
  return <FestivalScreen pages={pages} />;
}

/** The tickets page without what is for sale. */
function TicketsTexts() {
  return (
    <>
      <PosterHeader ground="brisket" title="Get Your Tickets">
        <p>{useSection("tickets").lead}</p>
      </PosterHeader>
      <div className="page-width pb-24">
        <TicketsFacts />
      </div>
    </>
  );
}
