// Tells the series of a plot apart by ink and by pattern, so that they are distinguishable in print and without
// color vision.
import type { ReactNode } from "react";

const line = { stroke: "var(--color-ink)", strokeWidth: 1.5 };

/** Cells of 8 by 8, in the order of the series. */
const INKS: readonly { ground: string; marks?: ReactNode }[] = [
  { ground: "var(--color-slab)" },
  { ground: "var(--color-brisket)", marks: <path d="M-2 10 10 -2M2 14 14 2" {...line} /> },
  { ground: "var(--color-sheet)", marks: <circle cx="4" cy="4" r="1.8" fill="var(--color-ink)" /> },
  { ground: "var(--color-bayou)", marks: <path d="M0 4H8" stroke="var(--color-paper)" strokeWidth="1.5" /> },
  { ground: "var(--color-paper-deep)", marks: <path d="M4 0V8M0 4H8" {...line} /> },
  {
    ground: "var(--color-candy)",
    marks: <path d="M-2 -2 10 10" stroke="var(--color-paper)" strokeWidth="1.5" />,
  },
];

/** The `fill` of a series. `id` is the id of the InkPatterns in the same svg. */
export const inkOf = (id: string, index: number): string => `url(#${id}-${index % INKS.length})`;

/** Goes into a <defs>. */
export function InkPatterns({ id }: { id: string }) {
  return INKS.map(({ ground, marks }, index) => (
    <pattern key={ground} id={`${id}-${index}`} width="8" height="8" patternUnits="userSpaceOnUse">
      <rect width="8" height="8" fill={ground} />
      {marks}
    </pattern>
  ));
}

interface LegendProps {
  id: string;
  series: readonly { key: string; name: string }[];
}

export function Legend({ id, series }: LegendProps) {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-5 gap-y-1.5 text-sm">
      {series.map(({ key, name }, index) => (
        <li key={key} className="flex items-center gap-2">
          <svg aria-hidden="true" width="18" height="18" className="shrink-0 border border-ink">
            <defs>
              <InkPatterns id={`${id}-legend-${index}`} />
            </defs>
            <rect width="18" height="18" fill={inkOf(`${id}-legend-${index}`, index)} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
