import { useId, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { useKeptFocus } from "../overlays/focus-kept.ts";

interface PanelProps {
  title: ReactNode;
  /** Next to the title, e.g. a badge or a button. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A quiet sheet with a heading, for dense screens. */
export function Panel({ title, aside, children, className }: PanelProps) {
  const id = useId();
  const kept = useKeptFocus();
  return (
    <section
      {...kept}
      aria-labelledby={id}
      className={classNames("min-w-0 border border-ink/20 bg-sheet p-4 sm:p-5", className)}
    >
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="text-lg leading-tight font-bold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
