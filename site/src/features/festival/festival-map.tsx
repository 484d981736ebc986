// The festival's grounds as one drawing. Its areas are toggle buttons: by pointer, by Tab with Enter or Space.
import { mapAreas, type MapArea, type MapAreaId } from "contract/programme";
import type { KeyboardEvent } from "react";
import { classNames } from "#ui/basics/class-names.ts";
import { AmenitySign } from "#ui/art/map-amenities.tsx";
import { mapAreaArt } from "#ui/art/map-areas.tsx";
import { MapGround } from "#ui/art/map-ground.tsx";
import { MapLabel } from "#ui/art/map-label.tsx";

interface FestivalMapProps {
  selectedId: MapAreaId | undefined;
  onSelect: (id: MapAreaId) => void;
}

export function FestivalMap({ selectedId, onSelect }: FestivalMapProps) {
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
      {mapAreas.map((area) => (
        <AreaButton key={area.id} area={area} selected={area.id === selectedId} onSelect={onSelect} />
      ))}
    </svg>
  );
}

interface AreaButtonProps {
  area: MapArea;
  selected: boolean;
  onSelect: (id: MapAreaId) => void;
}

function AreaButton({ area, selected, onSelect }: AreaButtonProps) {
  const { id, name, x, y, width, height } = area;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onSelect(id);
  };
  return (
    <g
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={name}
      onClick={() => onSelect(id)}
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
      {mapAreaArt[id]}
      <MapLabel area={area} selected={selected} />
    </g>
  );
}
