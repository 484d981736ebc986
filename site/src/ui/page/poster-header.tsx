// The header of a page, like a poster: one background color, a huge title, a picture that bleeds off the
// edge.
import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

const grounds = {
  brisket: "bg-brisket text-ink",
  paper: "bg-paper-deep text-ink",
  candy: "bg-candy text-white",
  bayou: "bg-bayou-deep text-paper",
  slab: "bg-slab text-paper",
  ink: "on-ink",
};

const light = new Set<keyof typeof grounds>(["brisket", "paper"]);

interface PosterHeaderProps {
  ground: keyof typeof grounds;
  title: ReactNode;
  children?: ReactNode;
  /** A picture, shown at the right edge. */
  art?: ReactNode;
}

export function PosterHeader({ ground, title, children, art }: PosterHeaderProps) {
  return (
    <header
      data-top={light.has(ground) ? "light" : "dark"}
      className={classNames(
        "relative isolate overflow-hidden pt-18 print:bg-white! print:pt-0 print:text-ink!",
        grounds[ground],
      )}
    >
      <div className="page-width grid grid-cols-[minmax(0,1fr)] items-end gap-x-8 lg:min-h-[26rem] lg:grid-cols-[minmax(min-content,28rem)_1fr] xl:grid-cols-[minmax(min-content,36rem)_1fr] print:min-h-0">
        <div className="relative z-10 py-10 lg:py-16 print:py-4">
          {/* Its column is as wide as its longest word, which must not be treated as breakable. */}
          <h1 className="display text-headline wrap-break-word">{title}</h1>
          {children && <div className="mt-5 max-w-xl text-lead">{children}</div>}
        </div>
        {art && (
          <div data-print="never" className="relative self-stretch max-lg:h-52">
            <div className="absolute inset-0 flex items-end justify-end max-lg:[&>svg]:static! max-lg:[&>svg]:m-0! max-lg:[&>svg]:h-full! max-lg:[&>svg]:w-auto! [&>svg]:max-w-full! lg:-right-20">
              {art}
            </div>
          </div>
        )}
      </div>
    </header>
  );
}
