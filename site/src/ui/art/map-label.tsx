import type { MapArea } from "contract/programme";

/** The name of an area on a strip at its foot. */
export function MapLabel({ area, selected = false }: { area: MapArea; selected?: boolean }) {
  const width = area.name.length * 17 + 34;
  const x = area.x + area.width / 2;
  const y = area.id === "main-entrance" ? 667 : area.y + area.height + 4;
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
          {area.name}
        </text>
      </g>
    </g>
  );
}
