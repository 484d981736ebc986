import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface FigureCardProps {
  label: ReactNode;
  value: ReactNode;
  /** A line under the figure. */
  note?: ReactNode;
  icon?: ReactNode;
  /** Inside a panel: without its own sheet. */
  plain?: boolean;
  alarming?: boolean;
}

/** In characters. Longer values, such as totals, do not fit half a small phone at full size. */
const LONG = 6;

/** One number and what it counts. Must be inside a <dl>. */
export function FigureCard({ label, value, note, icon, plain, alarming }: FigureCardProps) {
  return (
    <div
      className={classNames(
        "flex min-w-0 flex-col",
        !plain && "border border-ink/20 bg-sheet p-4 max-sm:p-3",
      )}
    >
      <dt className="flex items-center gap-2 text-sm font-semibold text-ink-soft">
        {icon}
        {label}
      </dt>
      <dd
        className={classNames(
          "pt-1 text-3xl leading-none font-bold tabular-nums",
          // Keeps the figures of a row on one line, whether their labels take one line or two.
          !note && "mt-auto",
          typeof value === "string" && value.length > LONG && "max-sm:text-[5.2vw] max-2xs:text-[9vw]",
          alarming && "text-candy-deep",
        )}
      >
        {typeof value === "number" ? value.toLocaleString("en-US") : value}
      </dd>
      {note && <dd className="mt-1.5 text-sm text-ink-soft">{note}</dd>}
    </div>
  );
}
