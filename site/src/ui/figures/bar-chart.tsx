// Bars relative to the longest, in plain CSS. Screen readers get the underlying table, which a disclosure shows to everyone.
import type { CSSProperties, ReactNode } from "react";

interface Bar {
  key: string;
  label: string;
  value: number;
}

interface BarChartProps {
  /** What is counted; also the table's heading. */
  caption: string;
  /** Column names of the table. */
  labelHeader: string;
  valueHeader: string;
  bars: readonly Bar[];
  /** Vertical bars, side by side. */
  upright?: boolean;
  /** There is already a fuller table next to it. */
  tabled?: boolean;
  empty?: ReactNode;
}

export function BarChart(props: BarChartProps) {
  const { bars, upright, tabled, empty } = props;
  if (bars.length === 0) return <p className="py-3 text-ink-soft">{empty ?? "Nothing to show yet."}</p>;
  const longest = Math.max(1, ...bars.map((bar) => bar.value));
  return (
    <>
      <div aria-hidden="true">
        {upright ? <Columns bars={bars} longest={longest} /> : <Rows bars={bars} longest={longest} />}
      </div>
      {!tabled && <BarTable {...props} />}
    </>
  );
}

const textOf = ({ value }: Bar) => value.toLocaleString("en-US");

interface BarsProps {
  bars: readonly Bar[];
  longest: number;
}

function Rows({ bars, longest }: BarsProps) {
  return (
    <div className="space-y-2.5">
      {bars.map((bar) => (
        <div key={bar.key}>
          <div className="flex items-baseline justify-between gap-3 text-[0.9375rem]">
            <span className="min-w-0 break-words">{bar.label}</span>
            <span className="shrink-0 font-semibold tabular-nums">{textOf(bar)}</span>
          </div>
          <div className="mt-1 h-2 bg-ink/8">
            <div
              className="h-full w-(--length) bg-slab forced-color-adjust-none"
              style={{ "--length": `${(100 * bar.value) / longest}%` } as CSSProperties}
            />
          </div>
        </div>
      ))}
    </div>
  );
}

function Columns({ bars, longest }: BarsProps) {
  return (
    <div className="flex items-start gap-1.5">
      {bars.map((bar) => (
        <div key={bar.key} className="max-w-20 min-w-0 flex-1 text-center">
          <span className="text-sm font-semibold tabular-nums">{textOf(bar)}</span>
          <div className="mt-1 flex h-24 items-end bg-ink/8">
            <div
              className="h-(--length) w-full bg-slab forced-color-adjust-none"
              style={{ "--length": `${(100 * bar.value) / longest}%` } as CSSProperties}
            />
          </div>
          <span className="mt-1 block text-xs text-ink-soft tabular-nums">{bar.label}</span>
        </div>
      ))}
    </div>
  );
}

function BarTable({ caption, labelHeader, valueHeader, bars }: BarChartProps) {
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit underline underline-offset-4">Show as table</summary>
      <table className="mt-2 w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-ink/40">
            <th scope="col" className="py-1 pr-3 font-semibold">
              {labelHeader}
            </th>
            <th scope="col" className="py-1 text-right font-semibold">
              {valueHeader}
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.key} className="border-b border-ink/12">
              <td className="py-1 pr-3 break-all">{bar.label}</td>
              <td className="py-1 text-right tabular-nums">{textOf(bar)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
