// The slab: candy paint, swangas that stick out of the wheels, the trunk popped and lettered, the fifth wheel leaning back.
import type { SVGProps } from "react";
import { point, spokes } from "./geometry.ts";

interface SlabProps extends SVGProps<SVGSVGElement> {
  /** The lettering in the popped trunk, in two lines. */
  lettering?: readonly [string, string];
}

export function Slab({ lettering = ["Still", "Tippin"], ...rest }: SlabProps) {
  return (
    <svg viewBox="0 0 900 380" aria-hidden="true" {...rest}>
      <ellipse cx="440" cy="352" rx="420" ry="14" className="fill-ink" opacity="0.9" />
      <FifthWheel />
      <Trunk lettering={lettering} />
      <Body />
      <Swanga cx={196} cy={286} />
      <Swanga cx={640} cy={286} />
    </svg>
  );
}

function Trunk({ lettering }: { lettering: readonly [string, string] }) {
  return (
    <g>
      <path d="M612 196 646 24 850 0 838 176Z" className="fill-ink" />
      <path d="M628 186 658 38 834 17 824 168Z" className="fill-slab" />
      <path
        d="M640 178 667 50 822 31 813 160Z"
        fill="none"
        strokeWidth="3"
        strokeDasharray="1 9"
        strokeLinecap="round"
        className="stroke-brisket"
      />
      <g transform="matrix(.985 -.13 -.17 .985 742 104)" textAnchor="middle" className="display fill-brisket">
        <text fontSize="58" y="-4">
          {lettering[0]}
        </text>
        <text fontSize="58" y="48">
          {lettering[1]}
        </text>
      </g>
      <path d="M640 196h176l6 22H636Z" className="fill-brisket" />
    </g>
  );
}

function Body() {
  return (
    <g>
      <path
        d="M28 232q2-22 26-26l214-20 76-74q10-10 26-10h160q20 0 30 12l52 78 190 4q36 2 40 26l8 66q0 16-18 16H52q-26 0-27-22Z"
        className="fill-candy"
      />
      {/* Vinyl half top, then the lower body's second ink. */}
      <path d="M452 102h78q20 0 30 12l52 78-22 4H452Z" className="fill-slab" />
      <path d="M26 258h820l4 30q0 16-18 16H52q-26 0-27-22Z" className="overprint fill-candy" />
      <path d="M296 188 358 124q6-6 14-6h66v70Z" className="fill-paper" />
      <path d="M462 118h60q10 0 16 8l40 62H462Z" className="fill-paper" />
      <path d="m330 186 58-66h22l-60 66ZM492 118h18l-22 70h-18Z" className="fill-brisket" />
      {/* Chrome: belt, sill, bumpers, grille. */}
      <path
        d="M34 246h808M56 296h84m112 0h330m112 0h140"
        fill="none"
        strokeWidth="6"
        className="stroke-paper"
      />
      <path d="M452 190v96M300 192l-8 92M596 198l8 60" fill="none" strokeWidth="3" className="stroke-ink" />
      <path d="M476 216h34M318 216h34" strokeWidth="6" strokeLinecap="round" className="stroke-paper" />
      <path d="M14 262h46v26H18q-8 0-8-10 0-16 4-16ZM808 262h54q6 0 6 14t-8 14h-52Z" className="fill-paper" />
      <path d="M24 214h34v32H26q-6 0-6-8Z" className="fill-paper" />
      <path d="M30 218v24m7-25v25m7-26v26m7-26v26" strokeWidth="3" className="stroke-ink" />
      <path d="M62 214h22v20H62Z" className="fill-brisket" />
      <path d="M826 214h18l4 30h-22Z" className="fill-brisket" />
      <path d="M44 206v-16h10l8 13Z" className="fill-paper" />
      <Driver />
      {/* A long streak of light on the candy. */}
      <path
        d="M96 214 268 198l22 1-10 10-184 12ZM620 212l178 4v8l-184-2Z"
        className="fill-paper"
        opacity="0.55"
      />
    </g>
  );
}

function Driver() {
  return (
    <g className="fill-ink">
      <path d="M368 188q0-26 24-30h8q26 4 26 30Z" />
      <circle cx="398" cy="144" r="15" />
      <path d="M376 139q2-18 22-18t22 14l-2 4Z" className="fill-slab" />
      <path d="M366 136h22v5h-22Z" className="fill-slab" />
    </g>
  );
}

/** A wire wheel whose hub pokes out: "84s". */
function Swanga({ cx, cy }: { cx: number; cy: number }) {
  const tip = { x: cx - 40, y: cy + 14 };
  return (
    <g>
      <circle cx={cx} cy={cy} r="66" className="fill-ink" />
      <circle cx={cx} cy={cy} r="50" fill="none" strokeWidth="5" className="stroke-paper" />
      <circle cx={cx} cy={cy} r="58" fill="none" strokeWidth="4" className="stroke-brisket" />
      <path d={spokes(cx, cy, 16, 50, 30)} strokeWidth="2.4" className="stroke-paper" />
      <path
        d={`M${point(cx, cy, 24, -75)}L${tip.x} ${tip.y - 6}v12L${point(cx, cy, 24, 110)}Z`}
        className="fill-paper"
      />
      <path
        d={`M${point(cx, cy, 24, 50)}L${tip.x} ${tip.y + 2}v4L${point(cx, cy, 24, 110)}Z`}
        className="fill-bayou"
      />
      <circle cx={cx} cy={cy} r="24" fill="none" strokeWidth="3" className="stroke-ink" />
      <path d={`M${tip.x - 12} ${tip.y}l12-13 12 13-12 13Z`} className="fill-candy" />
    </g>
  );
}

function FifthWheel() {
  return (
    <g transform="rotate(16 850 240)">
      <ellipse cx="856" cy="232" rx="24" ry="60" className="fill-ink" />
      <ellipse cx="862" cy="232" rx="17" ry="47" className="fill-candy" />
      <ellipse cx="864" cy="232" rx="10" ry="32" className="fill-paper" />
      <path d="M866 224l22 8-22 8Z" className="fill-brisket" />
    </g>
  );
}
