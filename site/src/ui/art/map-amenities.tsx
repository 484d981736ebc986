// Signs on the map: restrooms, first aid, water, charging. Drawn on a 40 by 40 plate.
import type { ReactNode } from "react";

export type Amenity = "restrooms" | "first-aid" | "water" | "charging";

const marks: Record<Amenity, ReactNode> = {
  restrooms: (
    <path d="M12 8a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM8 16h8v9h-2v7h-4v-7H8ZM28 8a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM25 16h6l3 10h-3v6h-6v-6h-3Z" />
  ),
  "first-aid": <path d="M16 8h8v8h8v8h-8v8h-8v-8H8v-8h8Z" />,
  water: <path d="M20 6q11 14 11 19a11 11 0 0 1-22 0q0-5 11-19Z" />,
  charging: <path d="M23 5 9 23h9l-2 12 15-19h-9Z" />,
};

const plates: Record<Amenity, string> = {
  restrooms: "fill-ink",
  "first-aid": "fill-candy-deep",
  water: "fill-bayou-deep",
  charging: "fill-slab",
};

export function AmenitySign({ amenity, x = 0, y = 0 }: { amenity: Amenity; x?: number; y?: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path d="M0 0h40v40H0Z" className={plates[amenity]} />
      <path d="M1.5 1.5h37v37h-37Z" fill="none" strokeWidth="3" className="stroke-paper" />
      <g className="fill-paper">{marks[amenity]}</g>
    </g>
  );
}
