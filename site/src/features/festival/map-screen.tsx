import { useState } from "react";
import { useSection } from "#lib/festival/content.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { FestivalMap } from "./festival-map.tsx";
import { MapPanel } from "./map-panel.tsx";
import { MapLegend } from "./map-legend.tsx";

export function MapScreen() {
  const { areas, hours, amenities } = useSection("map");
  const [place, setPlace] = useState<(typeof areas)[number]["place"]>();
  const selected = areas.find((area) => area.place === place);
  return (
    <div className="page-width pt-28 pb-20 print:pt-0">
      <PageHeader title="Festival Map">
        <p data-print="never">Choose an area to see what happens there. Choose it again to close it.</p>
      </PageHeader>
      <div className="mt-8 grid gap-x-10 gap-y-8 lg:grid-cols-[1fr_21rem]">
        <div className="min-w-0">
          <FestivalMap
            areas={areas}
            selected={place}
            onSelect={(chosen) => setPlace(chosen === place ? undefined : chosen)}
          />
          <MapLegend />
        </div>
        <MapPanel selected={selected} hours={hours} amenities={amenities} />
      </div>
    </div>
  );
}
