// A plot with its legend, a summary sentence, and the same figures as a table.
import { Suspense, useId, type ReactNode } from "react";
import { lazily } from "#ui/basics/lazily.ts";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import type { BarPlotProps } from "./bar-plot.tsx";
import { Legend } from "./inks.tsx";
import type { Bar } from "./sales-model.ts";

const BarPlot = lazily(() => import("./bar-plot.tsx"));

interface BarPanelProps extends BarPlotProps {
  /** The table's first column. */
  head: string;
  aside?: ReactNode;
}

export function BarPanel({ head, aside, ...plot }: BarPanelProps) {
  const { title, description, bars, series, nameOf, valueText } = plot;
  const id = useId();
  const columns: Column<Bar>[] = [
    { key: "key", header: head, cell: ({ key }) => nameOf(key) },
    ...series.map(({ key, name }, index): Column<Bar> => ({
      key,
      header: name,
      numeric: true,
      cell: ({ values }) => valueText(values[index] ?? 0),
    })),
    {
      key: "total",
      header: "Total",
      numeric: true,
      cell: ({ total }) => <strong>{valueText(total)}</strong>,
    },
    { key: "returned", header: "Refunded", numeric: true, cell: ({ returned }) => valueText(returned) },
  ];
  return (
    <Panel title={title} aside={aside}>
      <p className="mb-3 max-w-prose text-ink-soft">{description}</p>
      <Legend id={id} series={series} />
      <Suspense fallback={<Skeleton className="h-72" />}>
        <BarPlot {...plot} />
      </Suspense>
      <details className="mt-3 text-sm">
        <summary className="w-fit cursor-pointer underline underline-offset-4">Show as table</summary>
        <div className="mt-2">
          <DataTable
            caption={`${title}, as a table`}
            rows={bars.filter(({ total, returned }) => total !== 0 || returned !== 0)}
            rowKey={({ key }) => key}
            columns={columns}
            empty="Nothing was sold or refunded."
          />
        </div>
      </details>
    </Panel>
  );
}
