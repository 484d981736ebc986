import type { SVGProps } from "react";

function Boot({ className }: { className: string }) {
  return (
    <g>
      <path
        d="M84 4q22 26 46 26t46-26l-6 116q2 32 12 62v22l-8 44h-36l-6-34q-36 22-70 24H10q-18-6-6-22 50-14 72-50 14-26 12-58Z"
        className={className}
      />
      <path
        d="M182 204l-8 44h-36l-6-34q-36 22-70 24H10q-12-4-9-14 44 4 70-4 38-12 60-30Z"
        className="fill-ink"
      />
      <path d="M84 4q22 26 46 26t46-26l-1 20q-22 24-45 24T86 24Z" className="fill-paper" />
      <path d="M130 62l9 19 21 3-15 15 4 21-19-10-19 10 4-21-15-15 21-3Z" className="fill-brisket" />
      <path
        d="M30 210q40-10 62-44m-46 48q40-10 60-42M100 136q30 18 66 4m-64 14q32 16 68 2"
        fill="none"
        strokeWidth="3.5"
        strokeDasharray="7 5"
        className="stroke-paper"
      />
    </g>
  );
}

/** Two boots mid-step, and their footprints. */
export function Boots(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 360" aria-hidden="true" {...props}>
      <g className="fill-ink" opacity=".9">
        <path d="M28 318q26-18 58-6l4 10q-30 16-60 8ZM98 312h18v14h-16ZM164 338q26-18 58-6l4 10q-30 16-60 8ZM234 332h18v14h-16Z" />
      </g>
      <path
        d="M252 40q60-30 112 4M270 64q44-20 80 2"
        fill="none"
        strokeWidth="9"
        strokeLinecap="round"
        className="stroke-paper"
      />
      <g transform="translate(246 78) rotate(24 100 130)">
        <Boot className="fill-slab" />
      </g>
      <g transform="translate(34 62)">
        <Boot className="fill-candy" />
      </g>
      <path
        d="M424 250l26 14m-40 8l18 24m-34-18l4 28"
        strokeWidth="8"
        strokeLinecap="round"
        className="stroke-paper"
      />
    </svg>
  );
}
