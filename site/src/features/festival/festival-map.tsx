// The festival's grounds as one drawing. Its areas are toggle buttons: by pointer, by Tab with Enter or Space.
import type { Content } from "contract/festival/facts";
import type { KeyboardEvent } from "react";
import { classNames } from "#ui/basics/class-names.ts";
import { AmenitySign } from "#ui/art/map-amenities.tsx";
import { mapAreaArt } from "#ui/art/map-areas.tsx";
import { MapGround } from "#ui/art/map-ground.tsx";
import { mapPlaces } from "#ui/art/map-places.ts";
import { MapLabel } from "#ui/art/map-label.tsx";

type Area = Content["map"]["areas"][number];

interface FestivalMapProps {
  areas: readonly Area[];
  selected: Area["place"] | undefined;
  onSelect: (place: Area["place"], isByPointer: boolean) => void;
}

export function FestivalMap({ areas, selected, onSelect }: FestivalMapProps) {
  return (
    <svg
      viewBox="0 0 1200 800"
      role="group"
      aria-label="Map of the festival grounds"
      className="block w-full border-4 border-ink"
      data-print="whole"
    >
      <MapGround />
      <AmenitySign amenity="restrooms" x={500} y={250} />
      <AmenitySign amenity="restrooms" x={720} y={650} />
      <AmenitySign amenity="first-aid" x={380} y={700} />
      <AmenitySign amenity="water" x={320} y={450} />
      <AmenitySign amenity="water" x={740} y={290} />
      <AmenitySign amenity="charging" x={1146} y={560} />
      {areas.map((area) => (
        <AreaButton key={area.place} area={area} selected={area.place === selected} onSelect={onSelect} />
      ))}
    </svg>
  );
}

interface AreaButtonProps extends Pick<FestivalMapProps, "onSelect"> {
  area: Area;
  selected: boolean;
}

function AreaButton({ area, selected, onSelect }: AreaButtonProps) {
  const { place, name } = area;
  const { x, y, width, height } = mapPlaces[place];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onSelect(place, false);
  };
  return (
    <g
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={name}
      onClick={() => onSelect(place, true)}
      onKeyDown={onKeyDown}
      className="group cursor-pointer outline-none"
    >
      <rect
        x={x - 14}
        y={y - 14}
        width={width + 28}
        height={height + 46}
        strokeWidth="7"
        className={classNames(
          "transition-[fill,stroke] group-hover:stroke-ink group-focus-visible:stroke-slab",
          selected ? "fill-brisket stroke-candy" : "fill-transparent stroke-transparent",
        )}
      />
      {mapAreaArt[place]}
      <MapLabel place={place} name={name} selected={selected} />
    </g>
  );
}
