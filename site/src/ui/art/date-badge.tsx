import type { SVGProps } from "react";
import { useFestival } from "#lib/festival/content.ts";
import { starburst } from "./geometry.ts";

/** The date as a sticker slapped on the poster. */
export function DateBadge(props: SVGProps<SVGSVGElement>) {
  const { badge, dateText } = useFestival();
  const { month, day, year } = badge;
  return (
    <svg viewBox="0 0 240 240" role="img" aria-label={dateText} {...props}>
      <path d={starburst(126, 126, 98, 112, 24)} className="fill-ink" />
      <path d={starburst(118, 118, 98, 112, 24)} className="fill-bayou" />
      <circle cx="118" cy="118" r="86" fill="none" strokeWidth="3" className="stroke-paper" />
      <g textAnchor="middle" className="display fill-paper" aria-hidden="true">
        <text x="118" y="75" fontSize={Math.min(38, 228 / month.length)}>
          {month}
        </text>
        <text x="118" y="156" fontSize="94" className="fill-brisket">
          {day}
        </text>
        <text x="118" y="192" fontSize="36" letterSpacing="4">
          {year}
        </text>
      </g>
    </svg>
  );
}
