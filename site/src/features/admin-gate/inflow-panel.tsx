// The plot of the last hour, what it means in words, and the same figures as a table.
import { Maximize } from "lucide-react";
import { count, formatClock } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { InflowPlot } from "./inflow-plot.tsx";
import type { Inflow } from "./model.ts";

export function InflowPanel({ inflow, onFullScreen }: { inflow: Inflow; onFullScreen: () => void }) {
  return (
    <Panel
      title="Entries per minute"
      aside={
        <Button size="small" variant="secondary" onClick={onFullScreen}>
          <Maximize aria-hidden="true" className="size-4" strokeWidth={2.5} />
          Full Screen
        </Button>
      }
    >
      <InflowPlot inflow={inflow} />
      <p className="mt-3 text-sm text-ink-soft">
        {inflow.isEmpty
          ? "No entries in the last hour."
          : `A full-height bar is ${count(inflow.most, "scan")} in one minute, at every entrance. The current minute is lighter; the numbers are for the minute before it.`}
      </p>
      {!inflow.isEmpty && <InflowTable inflow={inflow} />}
    </Panel>
  );
}

function InflowTable({ inflow: { lanes, from } }: { inflow: Inflow }) {
  const minutes = Array.from({ length: lanes[0]?.admitted.length ?? 0 }, (_, index) => index)
    .filter((index) =>
      lanes.some(({ admitted, refused }) => (admitted[index] ?? 0) + (refused[index] ?? 0) > 0),
    )
    .toReversed();
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit underline underline-offset-4">Show as table</summary>
      <div
        role="region"
        aria-label="Let in and refused in each minute"
        tabIndex={0}
        className="mt-2 max-h-96 overflow-auto"
      >
        <table className="w-full border-collapse text-left tabular-nums">
          <caption className="sr-only">Let in and refused in each minute, by entrance, newest first</caption>
          <thead>
            <tr className="border-b border-ink/40">
              <th scope="col" className="py-1 pr-3 font-semibold">
                Minute
              </th>
              {lanes.map(({ id, name }) => (
                <th key={id ?? "none"} scope="col" className="px-2 py-1 text-right font-semibold">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {minutes.map((minute) => (
              <tr key={minute} className="border-b border-ink/12">
                <th scope="row" className="py-1 pr-3 font-normal whitespace-nowrap">
                  {formatClock(from + minute * 60_000)}
                </th>
                {lanes.map(({ id, admitted, refused }) => (
                  <td key={id ?? "none"} className="px-2 py-1 text-right">
                    {(admitted[minute] ?? 0).toLocaleString("en-US")}
                    {(refused[minute] ?? 0) > 0 && (
                      <span className="text-candy-deep"> ({refused[minute]} refused)</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
