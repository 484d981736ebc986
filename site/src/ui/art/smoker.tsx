import type { SVGProps } from "react";
import { Halftone } from "./halftone.tsx";

/** An offset smoker, firebox lit, and a good deal of smoke. */
export function Smoker(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 480 360" aria-hidden="true" {...props}>
      <path
        d="M374 84q-46 6-50-30-44 20-66-12-52 22-66-10-56 18-62 48 26 30 66 12 26 34 72 10 34 24 62-2 26 10 44-6Z"
        className="fill-paper"
      />
      <Halftone x={150} y={46} width={190} height={52} pitch={11} from={2} to={8} className="text-bayou" />
      <path d="M362 78h36v90h-36Z" className="fill-ink" />
      <path d="M352 66h56v16h-56Z" className="fill-ink" />
      <path d="M146 150h232q44 0 44 48t-44 48H146Z" className="fill-ink" />
      <path d="M146 150h232q44 0 44 48H146Z" className="fill-slab" />
      <path d="M164 164h196q22 0 28 14H164Z" className="fill-paper" opacity=".3" />
      <path d="M56 176h98v96H56Z" className="fill-ink" />
      <path d="M70 196h58v58H70Z" className="fill-brisket" />
      <path d="M80 254q-10-26 12-42-2 16 10 18 2-14 12-20 16 26 4 44Z" className="fill-candy" />
      <path d="M240 198h76" strokeWidth="9" strokeLinecap="round" className="stroke-paper" />
      <circle cx="206" cy="178" r="15" className="fill-paper" />
      <path d="M206 178l7-9" strokeWidth="4" strokeLinecap="round" className="stroke-candy" />
      <path d="M88 272v52m300-80v80M160 246v78" strokeWidth="12" className="stroke-ink" />
      <path d="M78 300h320" strokeWidth="8" className="stroke-ink" />
      <circle cx="160" cy="322" r="26" className="fill-ink" />
      <circle cx="160" cy="322" r="11" className="fill-brisket" />
      <path d="M214 262h130v14H214Z" className="fill-brisket" />
      <path d="M240 262q-4-22 26-22h40q26 4 22 22Z" className="fill-candy" />
      <path
        d="M252 254q24-10 56-4"
        fill="none"
        strokeWidth="5"
        strokeLinecap="round"
        className="stroke-ink"
      />
    </svg>
  );
}
