// The last hour, one lane an entrance, all to one scale: who came in stands on the line, who was refused hangs below it. Lanes
// side by side need no colour to be told apart, and can be read from across a room.
import { classNames } from "#ui/basics/class-names.ts";
import { formatClock } from "#lib/format.ts";
import { MINUTES_SHOWN, type Inflow, type Lane } from "./model.ts";

/** Of the plot's own units, 10 wide for each minute. */
const UP = 80;
const DOWN = 20;
const TICKS = [0, 15, 30, 45];

export function InflowPlot({ inflow, large = false }: { inflow: Inflow; large?: boolean }) {
  const { lanes, from, most } = inflow;
  const label = large
    ? "lg:grid-cols-[minmax(12rem,18vw)_minmax(0,1fr)]"
    : "lg:grid-cols-[12rem_minmax(0,1fr)]";
  return (
    <div className={classNames("flex flex-col", large && "min-h-0 flex-1")}>
      <ul
        className={classNames(
          "divide-y divide-ink/20",
          large && "grid min-h-0 flex-1 auto-rows-[minmax(6rem,1fr)]",
        )}
      >
        {lanes.map((lane) => (
          <li
            key={lane.id ?? "none"}
            className={classNames("grid items-stretch gap-x-5 gap-y-1 py-2", large && "min-h-0", label)}
          >
            <LaneName lane={lane} large={large} />
            <Bars lane={lane} most={most} large={large} />
          </li>
        ))}
      </ul>
      <div className={classNames("grid gap-x-5", label)} aria-hidden="true">
        <span className="max-lg:hidden" />
        <div
          className={classNames(
            "relative mt-1 tabular-nums",
            large ? "h-[3.2vh] min-h-6 text-[clamp(0.9rem,2vh,1.5rem)]" : "h-5 text-xs text-ink-soft",
          )}
        >
          {TICKS.map((minute) => (
            <span key={minute} className="absolute" style={{ left: `${(100 * minute) / MINUTES_SHOWN}%` }}>
              {formatClock(from + minute * 60_000).replace(" CT", "")}
            </span>
          ))}
          <span className="absolute right-0">Now</span>
        </div>
      </div>
    </div>
  );
}

function LaneName({ lane, large }: { lane: Lane; large: boolean }) {
  return (
    <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 lg:flex-col lg:justify-center">
      <span
        className={classNames(
          "min-w-0 leading-tight font-semibold wrap-anywhere",
          large && "text-[clamp(1.1rem,3.2vh,2.75rem)]",
        )}
      >
        {lane.name}
        {!lane.isOpen && <span className="font-normal text-ink-soft"> (closed)</span>}
      </span>
      <span className="leading-none">
        <strong
          className={classNames(
            "tabular-nums",
            large ? "text-[clamp(2rem,8vh,6rem)] leading-none" : "text-3xl leading-none",
          )}
        >
          {lane.rate.toLocaleString("en-US")}
        </strong>{" "}
        <span className={large ? "text-[clamp(0.9rem,2.2vh,1.75rem)]" : "text-sm text-ink-soft"}>
          a minute
        </span>
      </span>
      <span className="sr-only">{lane.total.toLocaleString("en-US")} in the last hour.</span>
    </div>
  );
}

function Bars({ lane, most, large }: { lane: Lane; most: number; large: boolean }) {
  return (
    // Out of the flow: at its own proportions the drawing would push the last lanes off the wall.
    <div className={classNames("relative bg-ink/5", large ? "min-h-16" : "h-20")}>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${MINUTES_SHOWN * 10} ${UP + DOWN}`}
        preserveAspectRatio="none"
        className="absolute inset-0 size-full"
      >
        {TICKS.slice(1).map((minute) => (
          <rect
            key={minute}
            x={minute * 10 - 0.5}
            width={1}
            y={0}
            height={UP + DOWN}
            className="fill-ink/15"
          />
        ))}
        {lane.admitted.map((admitted, minute) => {
          const height = (UP * admitted) / most;
          const running = minute === MINUTES_SHOWN - 1;
          return (
            <rect
              key={minute}
              x={minute * 10 + 1}
              width={8}
              y={UP - height}
              height={height}
              className={running ? "fill-slab/50" : "fill-slab"}
            />
          );
        })}
        <rect x={0} width={MINUTES_SHOWN * 10} y={UP - 0.5} height={1} className="fill-ink" />
        {lane.refused.map((refused, minute) => (
          <rect
            key={minute}
            x={minute * 10 + 1}
            width={8}
            y={UP + 1}
            // One refusal among a hundred who came in is still seen.
            height={refused === 0 ? 0 : Math.min(DOWN - 1, Math.max(4, (UP * refused) / most))}
            className="fill-candy"
          />
        ))}
      </svg>
    </div>
  );
}
