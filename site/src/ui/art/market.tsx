import type { SVGProps } from "react";

const scallops = "q18 30 36 0";

/** Two stalls under striped awnings. */
export function Market(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 360" aria-hidden="true" {...props}>
      <path d="M58 110v226M234 110v226M262 156v180M442 156v180" strokeWidth="10" className="stroke-ink" />
      <path d="M46 236h200v90H46Z" className="fill-candy" />
      <path d="M46 236h200v16H46Z" className="fill-ink" />
      <path d="M252 256h200v70H252Z" className="fill-slab" />
      <path d="M252 256h200v16H252Z" className="fill-ink" />
      {/* A shirt, a record, crates, a hat, a potted plant. */}
      <path d="M96 150h22q12 14 24 0h22l22 22-16 16-10-8v48H98v-48l-10 8-16-16Z" className="fill-paper" />
      <path d="M118 186l12-14 12 14 14 2-26 18-26-18Z" className="fill-bayou" />
      <circle cx="330" cy="214" r="34" className="fill-ink" />
      <circle cx="330" cy="214" r="22" fill="none" strokeWidth="2.5" className="stroke-paper" />
      <circle cx="330" cy="214" r="11" className="fill-candy" />
      <path d="M376 236h60v22h-60Z" className="fill-bayou" />
      <path d="M384 238q6-30 20-30h6q16 0 20 30Z" className="fill-candy" />
      <path d="M188 214h34l-6 24h-22Z" className="fill-slab" />
      <path d="M205 214q-22-10-20-34 18 8 20 34 2-34 22-40 2 30-22 40" className="fill-bayou" />
      {/* Awnings: paper first, then the stripes. */}
      <path d={`M64 44h164l28 66${"q-18 30-36 0".repeat(6)}Z`} className="fill-paper" />
      <path
        d="M64 44h28l-16 66q-18 30-36 0ZM118 44h28l2 66q-18 30-36 0ZM174 44h28l18 66q-18 30-36 0Z"
        className="fill-bayou"
      />
      <path d={`M268 92h168l24 64${"q-18 30-36 0".repeat(6)}Z`} className="fill-paper" />
      <path
        d="M268 92h28l-16 64q-18 30-36 0ZM324 92h28l0 64q-18 30-36 0ZM380 92h28l16 64q-18 30-36 0Z"
        className="fill-candy"
      />
      <path
        d={`M40 110${scallops.repeat(6)}M244 156${scallops.repeat(6)}`}
        fill="none"
        strokeWidth="5"
        className="stroke-ink"
      />
    </svg>
  );
}
