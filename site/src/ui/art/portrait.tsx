import type { ComponentProps } from "react";
import { Halftone } from "./halftone.tsx";
import { rays } from "./geometry.ts";

/** A person in three inks. Not a likeness. */
export function Portrait({ look, ...rest }: ComponentProps<"svg"> & { look: "hoops" | "hat" }) {
  return (
    <svg viewBox="0 0 480 400" aria-hidden="true" {...rest}>
      <path d="M0 0h480v400H0Z" className={look === "hoops" ? "fill-brisket" : "fill-bayou"} />
      <path d={rays(240, 250, 420, 20)} className="fill-paper" opacity={look === "hoops" ? 0.45 : 0.22} />
      {look === "hoops" ? <Hoops /> : <Hat />}
    </svg>
  );
}

function Hoops() {
  return (
    <g>
      <path d="M132 250q-34-180 108-186 142 6 108 186 20 60 4 96H128q-16-36 4-96Z" className="fill-ink" />
      <path d="M200 250h80v76h-80Z" className="fill-candy" />
      <path d="M60 400q10-92 130-98l50 34 50-34q120 6 130 98Z" className="fill-slab" />
      <path d="M176 160q6-58 64-60 58 2 64 60 4 104-64 128-68-24-64-128Z" className="fill-candy" />
      <path d="M240 100q58 2 64 60 4 104-64 128Z" className="overprint fill-candy" opacity=".55" />
      <path d="M170 186q10-74 74-90 30 36 68 40-4-52-72-56-76 6-70 106Z" className="fill-ink" />
      <path
        d="M196 172q12-9 24 0m40 0q12-9 24 0"
        fill="none"
        strokeWidth="7"
        strokeLinecap="round"
        className="stroke-ink"
      />
      <path d="M214 236q26 22 52 0-26-10-52 0Z" className="fill-paper" />
      <circle cx="164" cy="246" r="24" fill="none" strokeWidth="7" className="stroke-paper" />
      <circle cx="316" cy="246" r="24" fill="none" strokeWidth="7" className="stroke-paper" />
      <Halftone x={96} y={352} width={288} height={48} pitch={13} from={2} to={8} className="text-brisket" />
    </g>
  );
}

function Hat() {
  return (
    <g>
      <path d="M200 250h80v80h-80Z" className="fill-slab" />
      <path d="M60 400q10-90 130-96l50 30 50-30q120 6 130 96Z" className="fill-candy" />
      <path d="M190 304l50 96 50-96-50 30Z" className="fill-paper" />
      <path d="M178 150h124q8 128-62 142-70-14-62-142Z" className="fill-slab" />
      <path d="M240 150h62q8 128-62 142Z" className="overprint fill-slab" opacity=".6" />
      <path d="M182 214q4 84 58 86 54-2 58-86-14 26-36 26h-44q-22 0-36-26Z" className="fill-ink" />
      <path d="M214 252q26 16 52 0-26-8-52 0Z" className="fill-paper" />
      <path
        d="M186 176h46v22h-46ZM248 176h46v22h-46ZM232 182h16"
        strokeWidth="6"
        className="fill-ink stroke-ink"
      />
      <path d="M84 146q156 44 312-10-18 40-92 36H176q-74 2-92-26Z" className="fill-ink" />
      <path d="M164 150q-12-100 34-104 24 14 42 6 18 8 44-6 46 4 36 98-76 26-156 6Z" className="fill-ink" />
      <path d="M162 136q78 22 158-6v18q-78 26-157 6Z" className="fill-brisket" />
      <Halftone x={80} y={350} width={320} height={50} pitch={13} from={2} to={8} className="text-ink" />
    </g>
  );
}
