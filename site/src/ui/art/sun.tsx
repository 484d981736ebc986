import type { SVGProps } from "react";
import { Halftone } from "./halftone.tsx";
import { rays } from "./geometry.ts";

/** A low sun, half sunk in the bayou, for the corner of a page. */
export function SunOverBayou(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 480" aria-hidden="true" {...props}>
      <path d={rays(240, 260, 420, 22)} className="fill-brisket" />
      <circle cx="240" cy="260" r="150" className="fill-candy" />
      <Halftone
        x={110}
        y={170}
        width={260}
        height={96}
        pitch={12}
        from={1.5}
        to={9}
        className="text-brisket"
      />
      <path d="M-20 290q60-22 120 0t120 0 120 0 120 0 80 0v200H-20Z" className="overprint fill-bayou" />
      <path
        d="M120 330h130m30 0h70M90 366h80m40 0h170M150 402h120m36 0h30M60 438h90m60 0h120"
        strokeWidth="9"
        strokeLinecap="round"
        className="stroke-paper"
      />
    </svg>
  );
}
