import { classNames } from "#ui/basics/class-names.ts";
import { count } from "#lib/format.ts";
import type { GuestLine } from "./guest-list.ts";

/** How each pasted line was read, and what is wrong with it. */
export function GuestPreview({ lines }: { lines: readonly GuestLine[] }) {
  if (lines.length === 0) return null;
  const bad = lines.filter(({ problem }) => problem).length;
  return (
    <section aria-label="Preview">
      <p aria-live="polite" className="text-sm font-semibold">
        {count(lines.length - bad, "guest")}
        {bad > 0 && <span className="text-candy-deep">, {count(bad, "line")} to fix</span>}
      </p>
      {/* Scrollable by keyboard as well. */}
      <ol
        tabIndex={0}
        aria-label="Lines"
        className="mt-1 max-h-52 overflow-y-auto border border-ink/20 bg-sheet text-sm"
      >
        {lines.map(({ line, text, guest, problem, note }, index) => (
          <li
            key={index}
            className={classNames(
              "grid grid-cols-[2.25rem_minmax(0,1fr)] border-t border-ink/12 px-2 py-1.5 first:border-t-0",
              problem && "bg-candy/10",
            )}
          >
            <span className="text-ink-soft tabular-nums">{line}</span>
            <span className="wrap-anywhere">
              {guest ? `${guest.name}, ${guest.email}` : text}
              {(problem ?? note) && (
                <span
                  className={classNames("block font-semibold", problem ? "text-candy-deep" : "text-ink-soft")}
                >
                  {problem ?? note}
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
