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

/** A digit's width, in its font size. */
const DIGIT = 0.53;

/** As large as fits on the card's line: a total does not fit half a small phone at full size. */
const sizeOf = (text: string) => ({ fontSize: `min(1.875rem, ${100 / (DIGIT * text.length)}cqi)` });

/** One number and what it counts. Must be inside a <dl>. */
export function FigureCard({ label, value, note, icon, plain, alarming }: FigureCardProps) {
  const shown = typeof value === "number" ? value.toLocaleString("en-US") : value;
  return (
    <div
      className={classNames(
        "@container flex min-w-0 flex-col",
        !plain && "border border-ink/20 bg-sheet p-4 max-sm:p-3",
      )}
    >
      <dt className="flex items-center gap-2 text-sm font-semibold text-ink-soft">
        {icon}
        {label}
      </dt>
      <dd
        {...(typeof shown === "string" && { style: sizeOf(shown) })}
        className={classNames(
          "pt-1 text-3xl leading-none font-bold tabular-nums",
          // Keeps the figures of a row on one line, whether their labels take one line or two.
          !note && "mt-auto",
          alarming && "text-candy-deep",
        )}
      >
        {shown}
      </dd>
      {note && <dd className="mt-1.5 text-sm text-ink-soft">{note}</dd>}
    </div>
  );
}
