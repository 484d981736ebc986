// The takings of the tills at the door, by person and by shift, and what was sold at them.
import { useState } from "react";
import { useSearchParams } from "react-router";
import { formatCents, toCents } from "contract/shop/money";
import { count, formatPrice, formatMoment } from "#lib/format.ts";
import { inPlace, presentParams } from "#lib/lists/list-view.ts";
import { answerOf } from "#lib/api/answer-of.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { useSession } from "#lib/session/session.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { FigureRow } from "#ui/figures/figure-row.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CloseShiftDialog } from "./close-shift-dialog.tsx";
import { DayFields } from "./day-fields.tsx";
import {
  byPerson,
  paymentCsv,
  shiftCsv,
  takingsOf,
  type SoldItem,
  type Takings,
  type TillShift,
} from "./model.ts";
import { paymentsOf, useTillReport } from "./queries.ts";

const day = (text: string | null) => (/^\d{4}-\d{2}-\d{2}$/.test(text ?? "") ? text! : "");

const daysOf = (params: URLSearchParams) => ({ from: day(params.get("from")), to: day(params.get("to")) });

export function TillsScreen() {
  const [params, setParams] = useSearchParams();
  const days = daysOf(params);
  const report = useTillReport(days);
  const { data, error, isError, isPlaceholderData, refetch } = report;
  const shiftsFile = useCsvExport({
    name: "tills",
    columns: shiftCsv,
    rows: async function* () {
      yield (await answerOf(report)).shifts;
    },
  });
  const paymentsFile = useCsvExport({
    name: "till-payments",
    columns: paymentCsv,
    rows: async function* () {
      const { shifts } = await answerOf(report);
      yield* paymentsOf(shifts.map(({ id }) => id));
    },
  });
  return (
    <>
      <ScreenHead
        title="Tills"
        actions={
          data && (
            <>
              <ExportButton {...shiftsFile} label="Export Tills" />
              <ExportButton {...paymentsFile} label="Export Payments" />
            </>
          )
        }
      />
      <DayFields
        days={days}
        onChange={(change) => {
          const { from, to } = { ...daysOf(presentParams()), ...change };
          setParams({ ...(from && { from }), ...(to && { to }) }, inPlace);
        }}
      />
      {data ? (
        <div className={isPlaceholderData ? "opacity-60" : ""} aria-busy={isPlaceholderData}>
          <Report shifts={data.shifts} items={data.items} />
        </div>
      ) : isError ? (
        <ErrorState
          title="Error loading the tills. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading the tills</span>
          <Skeleton className="h-24" />
          <Skeleton className="mt-4 h-64" />
        </div>
      )}
    </>
  );
}

function Report({ shifts, items }: { shifts: readonly TillShift[]; items: readonly SoldItem[] }) {
  const { role } = useSession();
  const [closing, setClosing] = useState<TillShift>();
  const close: Column<TillShift> = {
    key: "close",
    phone: "end",
    header: <span className="sr-only">Close</span>,
    cell: (row) =>
      row.closed_at === null && (
        <Button
          size="small"
          variant="secondary"
          aria-label={`Close ${row.seller}'s till`}
          onClick={() => setClosing(row)}
        >
          Close
        </Button>
      ),
  };
  return (
    <div className="space-y-4">
      <Sums takings={takingsOf(shifts)} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel title="By seller">
          <DataTable
            caption="Sales by seller"
            rows={byPerson(shifts)}
            rowKey={({ seller }) => seller}
            columns={personColumns}
            empty="No tills were opened on these days."
          />
        </Panel>
        <Panel title="By type">
          <DataTable
            caption="Sold at the door by type"
            rows={items}
            rowKey={({ name }) => name}
            columns={itemColumns}
            empty="Nothing was sold at the door on these days."
          />
        </Panel>
      </div>
      <Panel title="Shifts">
        <DataTable
          caption="Till shifts"
          rows={shifts}
          rowKey={({ id }) => id}
          columns={[...shiftColumns, ...(role === "admin" ? [close] : [])]}
          empty="No tills were opened on these days."
          below={({ note }) => note && <p className="text-sm text-ink-soft">Note: {note}</p>}
        />
      </Panel>
      {closing && <CloseShiftDialog shift={closing} onClose={() => setClosing(undefined)} />}
    </div>
  );
}

function Sums({ takings }: { takings: ReturnType<typeof takingsOf> }) {
  const { cash, card, difference, sales, voids, shifts } = takings;
  return (
    <FigureRow>
      <FigureCard label="Cash" value={formatCents(cash)} note="Excluding starting change" />
      <FigureCard label="Cards" value={formatCents(card)} note="Charged on terminals" />
      <FigureCard
        label="Difference"
        value={formatCents(difference)}
        alarming={difference !== 0}
        note="Counted minus expected"
      />
      <FigureCard
        label="Voided"
        value={voids}
        note={`Of ${count(sales, "sale")} in ${count(shifts, "shift")}`}
      />
    </FigureRow>
  );
}

const seller = <Row extends { seller: string }>(): Column<Row> => ({
  key: "seller",
  header: "Seller",
  cell: (row) => <EmailText className="font-semibold">{row.seller}</EmailText>,
});

const personColumns: readonly Column<Takings>[] = [
  seller(),
  { key: "sales", header: "Sales", numeric: true, cell: (row) => row.sales },
  { key: "cash", header: "Cash", numeric: true, cell: (row) => formatCents(row.cash) },
  { key: "card", header: "Cards", numeric: true, cell: (row) => formatCents(row.card) },
  { key: "difference", header: "Difference", numeric: true, cell: (row) => formatCents(row.difference) },
];

const itemColumns: readonly Column<SoldItem>[] = [
  { key: "name", header: "Type", cell: (row) => row.name },
  { key: "units", header: "Sold", numeric: true, cell: (row) => row.units.toLocaleString("en-US") },
  { key: "amount", header: "Amount", numeric: true, cell: (row) => formatPrice(row.amount) },
];

const shiftColumns: readonly Column<TillShift>[] = [
  seller(),
  {
    key: "opened",
    header: "Open",
    cell: (row) => (
      <span className="text-sm tabular-nums sm:whitespace-nowrap">
        {formatMoment(row.opened_at)}
        <span className="block">
          {row.closed_at ? `to ${formatMoment(row.closed_at)}` : <Badge tone="success">Open</Badge>}
        </span>
      </span>
    ),
  },
  {
    key: "sales",
    header: "Sales",
    numeric: true,
    cell: (row) => `${row.sales}${row.voids > 0 ? ` (${row.voids} voided)` : ""}`,
  },
  {
    key: "cash",
    header: "Cash",
    numeric: true,
    cell: (row) => formatCents(toCents(row.cash) - toCents(row.cash_back)),
  },
  {
    key: "card",
    header: "Cards",
    numeric: true,
    cell: (row) => formatCents(toCents(row.card) - toCents(row.card_back)),
  },
  { key: "expected", header: "Expected", numeric: true, cell: (row) => formatPrice(row.expected) },
  {
    key: "counted",
    header: "Counted",
    numeric: true,
    cell: (row) => (row.counted === null ? "Not yet" : formatPrice(row.counted)),
  },
  {
    key: "difference",
    header: "Difference",
    numeric: true,
    cell: (row) =>
      row.difference === null ? (
        "–"
      ) : (
        <strong className={row.difference === 0 ? "" : "text-candy-deep"}>
          {formatPrice(row.difference)}
        </strong>
      ),
  },
];
