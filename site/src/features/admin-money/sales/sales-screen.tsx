// Sales by day over the whole sale, and by hour for one day.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { formatCents } from "contract/shop/money";
import { csvTime, type CsvValue } from "#lib/lists/csv.ts";
import { count, formatDay, formatHour, formatHourShort, formatMonthDay } from "#lib/format.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { inPlace, presentParams } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { MoneyFrame } from "../money-frame.tsx";
import { BarPanel } from "./bar-panel.tsx";
import { ChoiceBar } from "./choice-bar.tsx";
import {
  axisDollars,
  plotOf,
  salesAnswer,
  salesCsv,
  sumsOf,
  type Bar,
  type Measure,
  type Sales,
  type Split,
} from "./sales-model.ts";

const isDay = (text: string | null): text is string => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "");
/** Noon is on the same day in every US time zone. */
const noon = (day: string) => `${day}T12:00:00Z`;

function useSales(day: string | undefined) {
  return useQuery({
    queryKey: ["sales-plot", day ?? ""],
    placeholderData: keepPreviousData,
    queryFn: async () =>
      parseAnswer(
        "sales",
        salesAnswer,
        await read("sales", (supabase) => supabase.rpc("get_sales_plot", day ? { p_day: day } : {})),
      ),
  });
}

export function SalesScreen() {
  const [params, setParams] = useSearchParams();
  const asked = params.get("day");
  const day = isDay(asked) ? asked : undefined;
  const { data, error, isError, isPlaceholderData, refetch } = useSales(day);
  const choose = (name: string, value: string) => {
    const next = presentParams();
    next.set(name, value);
    setParams(next, inPlace);
  };
  const dayFile = useFile("sales-by-day", "Day (Central)", data, data?.days, ({ day }) => day ?? "");
  const hourFile = useFile(
    `sales-by-hour-${data?.day ?? ""}`,
    "Hour (Central)",
    data,
    data?.hours,
    ({ hour }) => csvTime(hour ?? null),
  );
  return (
    <MoneyFrame
      title="Sales"
      actions={
        data &&
        data.days.length > 0 && (
          <>
            <ExportButton {...dayFile} label="Export Days" />
            <ExportButton {...hourFile} label="Export Hours" />
          </>
        )
      }
    >
      {data === undefined ? (
        isError ? (
          <ErrorState
            title="Error loading sales. Please check your connection and try again."
            cause={error}
            onRetry={() => void refetch()}
          />
        ) : (
          <SalesLoading />
        )
      ) : data.days.length === 0 ? (
        <EmptyState title="Nothing sold yet">
          The first sale will appear here automatically, by day and by hour.
        </EmptyState>
      ) : (
        <SalesPlots
          sales={data}
          awaited={isPlaceholderData ? day : undefined}
          measure={params.get("show") === "tickets" ? "tickets" : "sales"}
          split={params.get("by") === "type" ? "type" : "channel"}
          onChoose={choose}
        />
      )}
    </MoneyFrame>
  );
}

function useFile(
  name: string,
  head: string,
  sales: Sales | undefined,
  rows: readonly (Sales["days"][number] | Sales["hours"][number])[] | undefined,
  timeOf: (row: { day?: string; hour?: string }) => CsvValue,
) {
  return useCsvExport({
    name,
    columns: salesCsv(sales?.items ?? [], head, timeOf),
    rows: async function* () {
      yield rows ?? [];
    },
  });
}

function SalesLoading() {
  return (
    <div role="status">
      <span className="sr-only">Loading sales</span>
      <Skeleton className="h-24" />
      <Skeleton className="mt-4 h-112" />
      <Skeleton className="mt-4 h-112" />
    </div>
  );
}

/** The plots count what was sold at the time, whatever was given back later. */
const NAMES: Record<Measure, string> = { sales: "Sales", tickets: "Tickets sold" };

interface SalesPlotsProps {
  sales: Sales;
  /** The chosen day while it is loading. */
  awaited: string | undefined;
  measure: Measure;
  split: Split;
  onChoose: (name: "day" | "show" | "by", value: string) => void;
}

function SalesPlots({ sales, awaited, measure, split, onChoose }: SalesPlotsProps) {
  // The same array while nothing has changed: with a new one, the plot forgets which bar the arrow keys had
  // reached.
  const plot = useMemo(() => plotOf(sales, measure, split), [sales, measure, split]);
  const first = plot.days[0]?.key;
  const text = {
    series: plot.series,
    valueText: measure === "sales" ? formatCents : (value: number) => value.toLocaleString("en-US"),
    axisText: measure === "sales" ? axisDollars : (value: number) => value.toLocaleString("en-US"),
  };
  return (
    <div className="space-y-4" aria-busy={awaited !== undefined}>
      <Sums {...sumsOf(sales)} />
      <Choices {...{ measure, split, onChoose }} />
      <BarPanel
        {...text}
        title={`${NAMES[measure]} by day, before refunds`}
        description={sentence(plot.days, text.valueText, (day) => `on ${longDay(day)}`)}
        head="Day"
        bars={plot.days}
        nameOf={longDay}
        shortNameOf={(day) => formatMonthDay(noon(day))}
        chosen={sales.day}
        onChoose={(day) => onChoose("day", day)}
      />
      <BarPanel
        {...text}
        title={`${NAMES[measure]} by hour on ${longDay(sales.day)}, before refunds`}
        description={sentence(plot.hours, text.valueText, (hour) => `from ${formatHour(hour)}`)}
        head="Hour"
        bars={plot.hours}
        nameOf={formatHour}
        shortNameOf={formatHourShort}
        aside={
          <Field label="Day">
            <Input
              dense
              type="date"
              min={first}
              max={sales.today}
              value={awaited ?? sales.day}
              onChange={({ target }) => isDay(target.value) && onChoose("day", target.value)}
            />
          </Field>
        }
      />
    </div>
  );
}

function Sums({ sold, returned, tickets, comps }: ReturnType<typeof sumsOf>) {
  return (
    <dl className="grid gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-4">
      <FigureCard label="Sales" value={formatCents(sold)} note="Before refunds, without fees" />
      <FigureCard label="Refunded" value={formatCents(returned)} note="Refunds and voids" />
      <FigureCard label="Revenue" value={formatCents(sold - returned)} note="Sales minus refunds" />
      <FigureCard
        label="Valid tickets"
        value={tickets}
        note={`Sold and not refunded, plus ${count(comps, "comp")}`}
      />
    </dl>
  );
}

function Choices({ measure, split, onChoose }: Omit<SalesPlotsProps, "sales" | "awaited">) {
  return (
    <div className="grid gap-4 sm:flex sm:flex-wrap">
      <ChoiceBar
        legend="Show"
        name="show"
        value={measure}
        options={[
          { value: "sales", label: NAMES.sales },
          { value: "tickets", label: NAMES.tickets },
        ]}
        onChoose={(value) => onChoose("show", value)}
      />
      <ChoiceBar
        legend="Split by"
        name="by"
        value={split}
        options={[
          { value: "channel", label: "Channel" },
          { value: "type", label: "Type" },
        ]}
        onChoose={(value) => onChoose("by", value)}
      />
    </div>
  );
}

const longDay = (day: string) => formatDay(noon(day));

/** A summary of the plot for people who cannot see it. */
function sentence(
  bars: readonly Bar[],
  valueText: (value: number) => string,
  nameOf: (key: string) => string,
) {
  const total = bars.reduce((sum, bar) => sum + bar.total, 0);
  const most = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.total > (best?.total ?? 0) ? bar : best),
    undefined,
  );
  if (!most) return "Nothing was sold in this period.";
  return `${valueText(total)} in all. The peak was ${valueText(most.total)} ${nameOf(most.key)}.`;
}
