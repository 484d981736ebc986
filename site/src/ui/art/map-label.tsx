import { classNames } from "../basics/class-names.ts";
import { type MapPlaceId, mapPlaces } from "./map-places.ts";

interface MapLabelProps {
  place: MapPlaceId;
  name: string;
  selected?: boolean;
}

/** The legend's inks: two for performance, one for food and vendors. */
const inks: Partial<Record<MapPlaceId, readonly [string, string]>> = {
  "main-stage": ["fill-candy", "fill-slab"],
  "purple-room": ["fill-candy", "fill-slab"],
  "food-court": ["fill-brisket", "fill-brisket"],
  "vendor-area": ["fill-bayou", "fill-bayou"],
};

/** The name of an area on a strip at its bottom, with the legend's mark for its kind. */
export function MapLabel({ place, name, selected = false }: MapLabelProps) {
  const area = mapPlaces[place];
  const width = name.length * 17 + 34;
  const x = area.x + area.width / 2;
  const mark = inks[place];
  const isOnSign = place === "main-entrance";
  const y = isOnSign ? 667 : area.y + area.height + 4;
  return (
    <g transform={`translate(${x} ${y})`} aria-hidden="true">
      {/* A phone's larger letters would meet those of the vendor area, so they stand below the sign. */}
      <g className={classNames("max-sm:scale-145", isOnSign && "max-sm:translate-y-[99px]")}>
        <path
          d={`M${-width / 2} -22h${width}v44h${-width}Z`}
          className={selected ? "fill-brisket" : "fill-ink"}
        />
        <text
          textAnchor="middle"
          y="11"
          fontSize="33"
          className={selected ? "display fill-ink" : "display fill-paper"}
        >
          {name}
        </text>
        {mark && (
          <g transform={`translate(${-width / 2 - 44} -22)`}>
            <path d="M0 44V0h44Z" className={mark[0]} />
            <path d="M0 44h44V0Z" className={mark[1]} />
            <path d="M2.5 2.5h39v39h-39Z" fill="none" strokeWidth="5" className="stroke-ink" />
          </g>
        )}
      </g>
    </g>
  );
}
