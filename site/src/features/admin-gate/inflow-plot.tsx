// The last hour, one lane per entrance, all to one scale: for each minute who came in, and on top who was refused. Separate lanes
// need no colors to tell them apart, and are readable from across a room.
import { classNames } from "#ui/basics/class-names.ts";
import { formatClock } from "#lib/format.ts";
import { MINUTES_SHOWN, type Inflow, type Lane } from "./model.ts";

/** In the plot's own units, 10 wide per minute. */
const HEIGHT = 100;
const TICKS = [0, 15, 30, 45];

export function InflowPlot({ inflow, large = false }: { inflow: Inflow; large?: boolean }) {
  const { lanes, from, most } = inflow;
  const label = large
    ? "lg:grid-cols-[minmax(12rem,18vw)_minmax(0,1fr)]"
    : "lg:grid-cols-[12rem_minmax(0,1fr)]";
  return (
    <div className={classNames("flex flex-col", large && "min-h-0 flex-1")}>
      <Legend large={large} />
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
          {TICKS.map((minute, index) => (
            <span
              key={minute}
              className={classNames(
                "absolute",
                index % 2 === 1 && "max-2xs:hidden",
                // Must not overlap "Now".
                index === TICKS.length - 1 && "max-[22rem]:hidden",
              )}
              style={{ left: `${(100 * minute) / MINUTES_SHOWN}%` }}
            >
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
        {lane.isClosed && <span className="font-normal text-ink-soft"> (closed)</span>}
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
          per minute
        </span>
      </span>
      <span className="sr-only">{lane.total.toLocaleString("en-US")} in the last hour.</span>
    </div>
  );
}

/** What the colors mean. The table below gives the same figures to people who cannot see them. */
function Legend({ large }: { large: boolean }) {
  return (
    <p
      aria-hidden="true"
      className={classNames(
        "flex flex-wrap items-center gap-x-5 gap-y-1",
        large ? "text-[clamp(0.9rem,2vh,1.5rem)]" : "text-sm text-ink-soft",
      )}
    >
      <span className="inline-flex items-center gap-2">
        <span className="size-[0.8em] bg-slab forced-color-adjust-none" /> Let in
      </span>
      <span className="inline-flex items-center gap-2">
        <span className="size-[0.8em] bg-candy forced-color-adjust-none" /> Refused
      </span>
    </p>
  );
}

function Bars({ lane, most, large }: { lane: Lane; most: number; large: boolean }) {
  const unit = HEIGHT / most;
  return (
    // Absolutely positioned: at its intrinsic proportions, the drawing would push the last lanes off the wall display.
    <div
      className={classNames(
        "relative border-t border-b border-t-ink/25 border-b-ink bg-ink/5",
        large ? "min-h-16" : "h-20",
      )}
    >
      <span
        aria-hidden="true"
        className={classNames(
          "absolute top-0 left-1 leading-tight text-ink-soft tabular-nums",
          large ? "text-base" : "text-xs",
        )}
      >
        {most.toLocaleString("en-US")}
      </span>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${MINUTES_SHOWN * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="absolute inset-0 size-full"
      >
        {TICKS.slice(1).map((minute) => (
          <rect key={minute} x={minute * 10 - 0.5} width={1} y={0} height={HEIGHT} className="fill-ink/15" />
        ))}
        {lane.admitted.map((admitted, minute) => {
          const refused = lane.refused[minute] ?? 0;
          const running = minute === MINUTES_SHOWN - 1;
          const place = { x: minute * 10 + 1, width: 8 };
          return (
            <g key={minute} className={classNames(running && "opacity-50")}>
              <rect {...place} y={HEIGHT - unit * admitted} height={unit * admitted} className="fill-slab" />
              <rect
                {...place}
                y={HEIGHT - unit * (admitted + refused)}
                height={unit * refused}
                className="fill-candy"
              />
            </g>
          );
        })}
      </svg>
    </div>
  );
}
