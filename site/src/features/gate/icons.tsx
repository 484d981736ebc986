// The gate's icons. A result differs in shape as well as color: a tick in a disc, a cross in an octagon, a bar in a
// triangle, an arrow out of a door. Drawn here, because an icon shared with another page would be loaded by both.
import type { ReactNode } from "react";
import type { Tone } from "./rules/words.ts";

const shapes: Readonly<Record<Tone, ReactNode>> = {
  go: (
    <>
      <circle cx="50" cy="50" r="46" />
      <path data-cut d="M28 52 44 68 73 35" />
    </>
  ),
  stop: (
    <>
      <path d="M32 5h36l27 27v36L68 95H32L5 68V32z" />
      <path data-cut d="m34 34 32 32m0-32L34 66" />
    </>
  ),
  wait: (
    <>
      <path d="M50 6 97 91H3z" strokeLinejoin="round" />
      <path data-cut d="M50 36v28m0 8v11" />
    </>
  ),
  out: (
    <>
      <path d="M8 8h52v84H8z" />
      <path data-cut d="M30 50h28" />
      <path data-bare d="M58 50h34M76 32l18 18-18 18" />
    </>
  ),
  plain: (
    <>
      <circle cx="50" cy="50" r="46" />
      <path data-cut d="M66 66V52a12 12 0 0 0-12-12H30m12-14L28 40l14 14" />
    </>
  ),
};

export function ResultShape({ tone }: { tone: Tone }) {
  return (
    <svg className="gate-shape" viewBox="0 0 100 100" aria-hidden="true">
      {shapes[tone]}
    </svg>
  );
}

const lines = {
  torch: "M8 3h8v4l-2 3v10a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1V10L8 7zM8 6h8M12 13v2",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 5 5",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "m5 5 14 14M19 5 5 19",
  recent: "M12 21a9 9 0 1 0-9-9M3 5v7h6m3-5v6l4 2",
  camera: "M4 7h4l2-3h4l2 3h4v13H4zm8 9a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 3l18 18",
} as const;

export function Sign({ of }: { of: keyof typeof lines }) {
  return (
    <svg className="gate-sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[of]} />
    </svg>
  );
}
