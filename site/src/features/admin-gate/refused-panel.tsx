import type { GateBoard } from "contract/gate";
import { BarChart } from "#ui/figures/bar-chart.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { clockOf, placeText, refusalNames, refusalText } from "./model.ts";

/** Why people were refused in the last 24 hours, and the latest refusals. */
export function RefusedPanel({ board: { refused, last_refused, now } }: { board: GateBoard }) {
  return (
    <Panel title="Refusals by reason">
      <BarChart
        caption="Refused in the last 24 hours, by reason"
        labelHeader="Reason"
        valueHeader="Refused"
        empty="No refusals in the last 24 hours."
        bars={refused.map(({ reason, count }) => ({
          key: reason,
          label: refusalNames[reason],
          value: count,
        }))}
      />
      {last_refused.length > 0 && (
        <>
          <h3 className="mt-5 mb-2 text-sm font-semibold text-ink-soft">Latest</h3>
          <div
            role="region"
            aria-label="Latest refusals"
            tabIndex={0}
            className="max-h-80 overflow-y-auto border-y border-ink/12 text-[0.9375rem] leading-snug"
          >
            <ol className="divide-y divide-ink/12 pb-6">
              {last_refused.map(({ id, reason, detail, at, entrance, device, name, type }) => (
                <li key={id} className="flex flex-wrap gap-x-3 py-2">
                  <time dateTime={new Date(at).toISOString()} className="w-19 text-ink-soft tabular-nums">
                    {clockOf(at, now)}
                  </time>
                  {/* Wraps below the time where a word would not fit beside it. */}
                  <span className="flex-[1_1_9rem] wrap-anywhere">
                    <span className="font-semibold">{refusalText(reason, detail)}</span>
                    {name !== null && `: ${name}${type === null ? "" : `, ${type}`}`}
                    <span className="block text-sm text-ink-soft">{placeText({ entrance, device })}</span>
                  </span>
                </li>
              ))}
            </ol>
            {/* A line at the edge fades instead of being cut. At the end it lies over the list's padding. */}
            <div
              aria-hidden="true"
              className="pointer-events-none sticky bottom-0 -mt-8 h-8 bg-linear-to-t from-sheet"
            />
          </div>
        </>
      )}
    </Panel>
  );
}
