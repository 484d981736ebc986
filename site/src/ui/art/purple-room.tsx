import type { SVGProps } from "react";
import { spokes } from "./geometry.ts";

/** The Purple Room: a record turning slowly under two lamps. */
export function PurpleRoom(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 420" aria-hidden="true" {...props}>
      <path d="M70 0 250 420H-60ZM400 0 540 420H230Z" className="overprint fill-slab" opacity=".75" />
      <path d="M238 0 420 420H60Z" className="overprint fill-candy" opacity=".55" />
      <path d="M44 0h52v26H44ZM376 0h52v26h-52ZM212 0h52v26h-52Z" className="fill-ink" />
      <path d="M40 236h400v150H40Z" className="fill-ink" />
      <ellipse cx="206" cy="292" rx="146" ry="72" className="fill-slab" />
      <ellipse cx="206" cy="284" rx="146" ry="72" className="fill-ink" />
      <g fill="none" strokeWidth="2.5" className="stroke-slab">
        <ellipse cx="206" cy="284" rx="124" ry="61" />
        <ellipse cx="206" cy="284" rx="102" ry="50" />
        <ellipse cx="206" cy="284" rx="80" ry="39" />
      </g>
      <ellipse cx="206" cy="284" rx="52" ry="26" className="fill-brisket" />
      <g transform="translate(206 284) scale(1 .5)">
        <path d={spokes(0, 0, 14, 44, 8)} strokeWidth="7" className="stroke-candy" />
      </g>
      <circle cx="206" cy="284" r="5" className="fill-paper" />
      <path
        d="M392 258q20 40-12 66l-92-4"
        fill="none"
        strokeWidth="10"
        strokeLinejoin="round"
        className="stroke-paper"
      />
      <circle cx="392" cy="258" r="20" className="fill-paper" />
      <path d="M272 312h30v18h-30Z" className="fill-candy" />
      <path d="M74 372h120" strokeWidth="6" strokeDasharray="10 10" className="stroke-brisket" />
      <circle cx="400" cy="362" r="10" className="fill-brisket" />
    </svg>
  );
}
