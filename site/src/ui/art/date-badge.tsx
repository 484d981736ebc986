import { festival } from "contract/festival";
import type { SVGProps } from "react";
import { starburst } from "./geometry.ts";

/** The date as a sticker slapped on the poster. */
export function DateBadge(props: SVGProps<SVGSVGElement>) {
  const [month, day, year] = festival.dateText.replace(",", "").split(" ");
  return (
    <svg viewBox="0 0 240 240" role="img" aria-label={festival.dateText} {...props}>
      <path d={starburst(126, 126, 98, 112, 24)} className="fill-ink" />
      <path d={starburst(118, 118, 98, 112, 24)} className="fill-bayou" />
      <circle cx="118" cy="118" r="86" fill="none" strokeWidth="3" className="stroke-paper" />
      <g textAnchor="middle" className="display fill-paper" aria-hidden="true">
        <text x="118" y="75" fontSize="38">
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
