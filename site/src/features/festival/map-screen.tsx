import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useSection } from "#lib/festival/content.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { FestivalMap } from "./festival-map.tsx";
import { MapPanel } from "./map-panel.tsx";
import { MapLegend } from "./map-legend.tsx";

export function MapScreen() {
  const { areas, hours, amenities } = useSection("map");
  const [place, setPlace] = useState<(typeof areas)[number]["place"]>();
  const selected = areas.find((area) => area.place === place);
  const card = useRef<HTMLDivElement>(null);

  function choose(chosen: typeof place, isByPointer: boolean) {
    // Rendered at once, because the text decides how tall the card is.
    flushSync(() => setPlace(chosen === place ? undefined : chosen));
    // On a phone the card is below the map. By keyboard, the focused area stays in view.
    if (isByPointer && chosen !== place) bringIntoView(card.current);
  }

  return (
    <div className="page-width pt-28 pb-20 print:pt-0">
      <PageHeader title="Festival Map">
        <p data-print="never">Choose an area to see what happens there. Choose it again to close it.</p>
      </PageHeader>
      <div className="mt-8 grid gap-x-10 gap-y-8 lg:grid-cols-[1fr_21rem]">
        <div className="min-w-0">
          <FestivalMap areas={areas} selected={place} onSelect={choose} />
          <MapLegend />
        </div>
        <MapPanel {...{ selected, hours, amenities, card }} />
      </div>
    </div>
  );
}

function bringIntoView(element: Element | null) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element?.scrollIntoView({ block: "nearest", behavior: isStill ? "instant" : "smooth" });
}
