import type { SVGProps } from "react";

function Cone({ cx, cy, r }: { cx: number; cy: number; r: number }) {
  return (
    <g>
      <circle cx={cx} cy={cy} r={r} className="fill-brisket" />
      <circle cx={cx} cy={cy} r={r * 0.82} className="fill-ink" />
      <circle cx={cx} cy={cy} r={r * 0.62} fill="none" strokeWidth={r * 0.07} className="stroke-paper" />
      <circle cx={cx} cy={cy} r={r * 0.3} className="fill-candy" />
    </g>
  );
}

/** A stack of cabinets, loud. */
export function Speakers(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 360 520" aria-hidden="true" {...props}>
      <path d="M40 300h280v210H40Z" className="fill-slab" />
      <path d="M62 130h236v170H62Z" className="fill-bayou" />
      <path d="M96 20h168v110H96Z" className="fill-slab" />
      <path
        d="M180 20h84v110h-84ZM180 130h118v170H180ZM180 300h140v210H180Z"
        className="overprint fill-slab"
        opacity=".35"
      />
      <path
        d="M40 300h280v210H40ZM62 130h236v170H62ZM96 20h168v110H96Z"
        fill="none"
        strokeWidth="7"
        className="stroke-ink"
      />
      <Cone cx={180} cy={404} r={88} />
      <Cone cx={128} cy={216} r={54} />
      <Cone cx={238} cy={216} r={44} />
      <Cone cx={142} cy={76} r={34} />
      <path d="M194 50h54v52h-54Z" className="fill-ink" />
      <path d="M200 62h42m-42 14h42m-42 14h42" strokeWidth="5" className="stroke-brisket" />
      <path
        d="M30 150q-26 60 0 122M8 130q-34 82 0 162M330 150q26 60 0 122M352 130q34 82 0 162"
        fill="none"
        strokeWidth="8"
        strokeLinecap="round"
        className="stroke-candy"
      />
    </svg>
  );
}
