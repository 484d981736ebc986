// The board as a wall display: the plot and four figures, full screen, with a wake lock.
import { TriangleAlert, X } from "lucide-react";
import type { GateBoard } from "contract/gate";
import { count, formatClock } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { FullScreen } from "#ui/overlays/full-screen.tsx";
import { LiveMark } from "#ui/figures/live-mark.tsx";
import { InflowPlot } from "./inflow-plot.tsx";
import { insideTwice, presenceOf, type Inflow } from "./model.ts";

interface WallProps {
  board: GateBoard;
  inflow: Inflow;
  notLiveSince: number | undefined;
  onClose: () => void;
}

export function Wall({ board, inflow, notLiveSince, onClose }: WallProps) {
  const { people, vehicles } = presenceOf(board);
  const figures = [
    [
      "Inside now",
      people.inside,
      [insideTwice(board.totals), `${count(vehicles.inside, "vehicle")} parked`].filter(Boolean).join("; "),
    ],
    ["Still to arrive", people.toCome, `${count(vehicles.toCome, "vehicle")} to arrive`],
    ["Last minute", inflow.rate, "let in at all entrances"],
    ["Refused", board.totals.refused, "last 24 hours"],
  ] as const;
  return (
    <FullScreen label="Gate board" onClose={onClose}>
      <div className="flex min-h-full flex-col gap-[1.5vh] p-[2vmin]">
        <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
            <h2 className="display text-[clamp(1.75rem,5vh,3.5rem)] leading-none">Gate</h2>
            <LiveMark since={notLiveSince} lost="Not live">
              Live
            </LiveMark>
            <span className="text-[clamp(1rem,2.6vh,2rem)] tabular-nums">{formatClock(board.now)}</span>
          </div>
          <Button size="small" variant="secondary" onClick={onClose}>
            <X aria-hidden="true" className="size-4" strokeWidth={3} />
            Leave Full Screen
          </Button>
        </header>
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 border-y-2 border-ink py-[1.2vh] md:grid-cols-4">
          {figures.map(([label, value, note]) => (
            <div key={label} className="min-w-0">
              <dt className="text-[clamp(1rem,2.4vh,1.9rem)] leading-tight font-semibold">{label}</dt>
              <dd className="text-[clamp(2.5rem,11vh,8rem)] leading-none font-bold tabular-nums">
                {value.toLocaleString("en-US")}
              </dd>
              <dd className="text-[clamp(0.875rem,1.9vh,1.4rem)] leading-tight text-ink-soft">{note}</dd>
            </div>
          ))}
        </dl>
        {board.totals.conflicts > 0 && (
          <p className="flex items-center gap-3 bg-brisket px-4 py-2 text-[clamp(1rem,2.6vh,2rem)] leading-tight font-bold">
            <TriangleAlert aria-hidden="true" className="size-[1.2em] shrink-0" strokeWidth={2.5} />
            {count(board.totals.conflicts, "code")} let in twice
          </p>
        )}
        <InflowPlot inflow={inflow} large />
      </div>
    </FullScreen>
  );
}
