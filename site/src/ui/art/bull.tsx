import type { SVGProps } from "react";

/** The mechanical bull, bucking, with a rider whose hat is still on. */
export function Bull(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 360" aria-hidden="true" {...props}>
      <ellipse cx="250" cy="326" rx="210" ry="26" className="fill-slab" />
      <ellipse cx="250" cy="320" rx="176" ry="18" className="fill-paper" />
      <path d="M214 200h72l22 120H192Z" className="fill-bayou" />
      <path d="M250 200h36l22 120h-50Z" className="overprint fill-bayou" />
      <path d="M200 262h100m-106 28h112" strokeWidth="6" className="stroke-ink" />
      <g transform="rotate(-14 250 180)">
        <path
          d="M396 150q44-6 50-52"
          fill="none"
          strokeWidth="9"
          strokeLinecap="round"
          className="stroke-ink"
        />
        <path d="M440 104l-4-28 22 16Z" className="fill-ink" />
        <path d="M150 150q18-34 74-34h112q62 0 66 52 2 48-58 54H216q-60-2-80-34Z" className="fill-ink" />
        {/* Head down, horns out. */}
        <path d="M176 140q-44-22-84 6-24 20-22 50l-14 34q6 22 36 22l34-26q44-4 62-44Z" className="fill-ink" />
        <path d="M96 150Q58 152 40 112q-4 62 44 70ZM136 134q-6-40 24-66-4 46 8 66Z" className="fill-paper" />
        <circle cx="112" cy="188" r="8" className="fill-brisket" />
        <circle cx="72" cy="232" r="15" fill="none" strokeWidth="6" className="stroke-brisket" />
        <path d="M236 112h88q6 40-6 62h-78q-10-30-4-62Z" className="fill-candy" />
        <path d="M236 132h88M238 156h82" strokeWidth="4" strokeDasharray="8 6" className="stroke-paper" />
      </g>
      {/* Rider: leg, body, the free arm, hat. */}
      <path
        d="M280 120q34 30 22 92l26 6"
        fill="none"
        strokeWidth="26"
        strokeLinejoin="round"
        className="stroke-bayou"
      />
      <path d="M316 206l14 34h-36l-6-26Z" className="fill-brisket" />
      <path d="M258 126q14-66 50-66 26 4 18 74Z" className="fill-brisket" />
      <path
        d="M308 72l52-22 18-40"
        fill="none"
        strokeWidth="17"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-brisket"
      />
      <path d="M292 78l-44 44" strokeWidth="16" strokeLinecap="round" className="stroke-brisket" />
      <circle cx="302" cy="42" r="20" className="fill-paper" />
      <path d="M262 34q40 14 82-8-6 20-36 22-34 4-46-14Z" className="fill-slab" />
      <path d="M278 36q-2-32 20-28 6 6 10 0 18-2 20 24-24 12-50 4Z" className="fill-slab" />
      <path d="M404 214l40 12m-46 18l32 24" strokeWidth="8" strokeLinecap="round" className="stroke-ink" />
    </svg>
  );
}
