import { type MapPlaceId, mapPlaces } from "./map-places.ts";

interface MapLabelProps {
  place: MapPlaceId;
  name: string;
  selected?: boolean;
}

/** The name of an area on a strip at its foot. */
export function MapLabel({ place, name, selected = false }: MapLabelProps) {
  const area = mapPlaces[place];
  const width = name.length * 17 + 34;
  const x = area.x + area.width / 2;
  const y = place === "main-entrance" ? 667 : area.y + area.height + 4;
  return (
    <g transform={`translate(${x} ${y})`} aria-hidden="true">
      <g className="max-sm:scale-145">
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
      </g>
    </g>
  );
}
