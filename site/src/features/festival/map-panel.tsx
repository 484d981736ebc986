import type { Content } from "contract/festival/facts";
import { Fragment, type Ref } from "react";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { AmenitySign } from "#ui/art/map-amenities.tsx";

interface MapPanelProps extends Pick<Content["map"], "hours" | "amenities"> {
  selected: Content["map"]["areas"][number] | undefined;
  /** The card about the chosen area. */
  card: Ref<HTMLDivElement>;
}

/** Next to the map: the chosen area, or the hours while none is chosen; then the amenities. */
export function MapPanel({ selected, hours, amenities, card }: MapPanelProps) {
  return (
    <aside aria-label="About the map" className="flex flex-col gap-6 md:max-lg:grid md:max-lg:grid-cols-2">
      <Card
        ref={card}
        tone="ink"
        aria-live="polite"
        className="min-h-42 scroll-mt-24 scroll-mb-4 sm:min-h-62 print:min-h-0"
      >
        {selected ? (
          <>
            <CardTitle className="text-brisket">{selected.name}</CardTitle>
            <p className="mt-3">{selected.description}</p>
            {selected.tip && (
              <p className="mt-4 border-l-8 border-candy pl-3">
                <strong>Tip:</strong> {selected.tip}
              </p>
            )}
          </>
        ) : (
          <>
            <CardTitle className="text-brisket">Festival Hours</CardTitle>
            <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1 text-lead tabular-nums">
              {hours.map(({ day, hours: open }) => (
                <Fragment key={day}>
                  <dt className="font-semibold">{day}</dt>
                  <dd>{open}</dd>
                </Fragment>
              ))}
            </dl>
            <p data-print="never" className="mt-4">
              Select an area on the map to read about it.
            </p>
          </>
        )}
      </Card>
      {amenities.length > 0 && (
        <Card>
          <CardTitle>Amenities</CardTitle>
          <ul className="mt-4 grid gap-3">
            {amenities.map(({ sign, text }) => (
              <li key={text} className="flex items-center gap-3">
                <svg viewBox="0 0 40 40" className="size-9 shrink-0" aria-hidden="true">
                  <AmenitySign amenity={sign} />
                </svg>
                {text}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </aside>
  );
}
