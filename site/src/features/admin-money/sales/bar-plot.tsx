// Stacked bars drawn by recharts, which only this screen loads (see bar-panel). The arrow keys move from bar to bar once the plot has
// focus. Nothing is animated.
import { Bar as Stack, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from "recharts";
import { useEffect, useId } from "react";
import { announce } from "#ui/overlays/announce.ts";
import { InkPatterns, inkOf } from "./inks.tsx";
import type { Bar } from "./sales-model.ts";

/** With more bars than this, a phone shows mostly outlines. */
const MANY = 40;

export interface BarPlotProps {
  title: string;
  description: string;
  bars: readonly Bar[];
  series: readonly { key: string; name: string }[];
  /** A bar's full name, and a short one for the axis. */
  nameOf: (key: string) => string;
  shortNameOf: (key: string) => string;
  valueText: (value: number) => string;
  axisText: (value: number) => string;
  /** The bar that is selected outside the plot. */
  chosen?: string | undefined;
  onChoose?: ((key: string) => void) | undefined;
}

export default function BarPlot(props: BarPlotProps) {
  const { title, description, bars, series, shortNameOf, axisText, onChoose } = props;
  const id = useId();
  return (
    <BarChart
      responsive
      className="h-72 w-full outline-offset-2"
      title={title}
      desc={description}
      data={bars}
      margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
      barCategoryGap="18%"
      {...(onChoose && {
        className: "h-72 w-full cursor-pointer outline-offset-2",
        onClick: ({ activeLabel }) => activeLabel !== undefined && onChoose(String(activeLabel)),
      })}
    >
      <defs>
        <InkPatterns id={id} />
      </defs>
      <CartesianGrid vertical={false} stroke="var(--color-ink)" strokeOpacity={0.15} />
      <XAxis
        dataKey="key"
        tickFormatter={shortNameOf}
        minTickGap={16}
        tickLine={false}
        stroke="var(--color-ink)"
        tick={{ fill: "var(--color-ink-soft)", fontSize: 13 }}
      />
      <YAxis
        width="auto"
        allowDecimals={false}
        tickFormatter={axisText}
        tickLine={false}
        axisLine={false}
        tick={{ fill: "var(--color-ink-soft)", fontSize: 13 }}
      />
      <Tooltip
        isAnimationActive={false}
        cursor={{ fill: "var(--color-ink)", fillOpacity: 0.08 }}
        content={({ active, label }) =>
          active ? <BarWords {...props} bar={bars.find(({ key }) => key === label)} /> : null
        }
      />
      {series.map(({ key, name }, index) => (
        <Stack
          key={key}
          name={name}
          dataKey={(bar: Bar) => bar.values[index] ?? 0}
          stackId="all"
          fill={inkOf(id, index)}
          stroke="var(--color-ink)"
          strokeWidth={bars.length > MANY ? 0.5 : 1}
          isAnimationActive={false}
        />
      ))}
    </BarChart>
  );
}

function BarWords({ bar, series, nameOf, valueText }: BarPlotProps & { bar: Bar | undefined }) {
  const words = bar && wordsOf(bar, series, nameOf, valueText);
  useEffect(() => {
    // A pointer needs no words.
    if (words !== undefined && document.activeElement?.closest(".recharts-wrapper")) announce(words);
  }, [words]);
  if (!bar) return null;
  return (
    <div className="border-2 border-ink bg-sheet px-3 py-2 text-sm shadow-[4px_4px_0_0_var(--color-ink)]">
      <p className="font-semibold">{nameOf(bar.key)}</p>
      <dl className="grid grid-cols-[auto_auto] gap-x-4 tabular-nums">
        {series.map(({ key, name }, index) => (
          <div key={key} className="contents">
            <dt>{name}</dt>
            <dd className="text-right">{valueText(bar.values[index] ?? 0)}</dd>
          </div>
        ))}
        <dt className="border-t border-ink/30 font-semibold">Total</dt>
        <dd className="border-t border-ink/30 text-right font-semibold">{valueText(bar.total)}</dd>
      </dl>
    </div>
  );
}

const wordsOf = (
  bar: Bar,
  series: BarPlotProps["series"],
  nameOf: BarPlotProps["nameOf"],
  valueText: BarPlotProps["valueText"],
) =>
  [
    `${nameOf(bar.key)}: ${valueText(bar.total)}`,
    ...(series.length > 1
      ? series.map(({ name }, index) => `${name} ${valueText(bar.values[index] ?? 0)}`)
      : []),
  ].join(", ");
