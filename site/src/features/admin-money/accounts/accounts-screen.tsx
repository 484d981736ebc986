// The accountant's report: what was sold, received and refunded in a period, and whether the payment provider's books agree.
import { CircleAlert, CircleCheck, Clock, RefreshCw } from "lucide-react";
import { useSearchParams } from "react-router";
import { formatCents } from "contract/shop/money";
import { count, formatZonedMoment } from "#lib/format.ts";
import { centralField } from "#lib/time/central-time.ts";
import { inPlace, presentParams } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Button } from "#ui/basics/button.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { FoldingPanel } from "#ui/page/folding-panel.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { MoneyFrame } from "../money-frame.tsx";
import {
  channelName,
  doorStatement,
  entryNames,
  lineCsv,
  onlineStatement,
  providerStatement,
  refundStatement,
  reportCsv,
  reportRows,
  verdictOf,
  type AccountReport,
  type Comparison,
  type SoldItem,
  type Verdict as Result,
} from "./accounts-model.ts";
import {
  allLines,
  useComparison,
  useFetchBooks,
  useReport,
  useSoldItems,
  type Period,
} from "./accounts-queries.ts";
import { LinesPanel } from "./lines-panel.tsx";
import { Statement } from "./statement.tsx";

const day = (text: string | null) => (/^\d{4}-\d{2}-\d{2}$/.test(text ?? "") ? text! : "");
/** Today in Houston, in a date field's format. */
const today = () => centralField(new Date().toISOString()).slice(0, 10);

/** A URL without days means this month. An empty value means no bound. */
const periodOf = (params: URLSearchParams): Period => ({
  from: day(params.get("from") ?? `${today().slice(0, 7)}-01`),
  to: day(params.get("to") ?? today()),
});

export function AccountsScreen() {
  const [params, setParams] = useSearchParams();
  const period = periodOf(params);
  const isBackwards = period.from !== "" && period.to !== "" && period.from > period.to;
  const choose = (change: Partial<Period>) => setParams({ ...periodOf(presentParams()), ...change }, inPlace);
  return (
    <MoneyFrame title="Accounts">
      <p className="mb-4 max-w-prose text-ink-soft">
        For the accountant: all sales, payments and refunds, checked against the payment provider’s books to
        the cent. Days run from midnight to midnight Central Time, and both dates are included.
      </p>
      <div className="mb-4 grid gap-3 sm:flex sm:items-start">
        <Field label="From">
          <Input
            dense
            type="date"
            value={period.from}
            onChange={({ target }) => choose({ from: target.value })}
          />
        </Field>
        <Field label="To" error={isBackwards ? "The end date is before the start date." : undefined}>
          <Input
            dense
            type="date"
            value={period.to}
            onChange={({ target }) => choose({ to: target.value })}
          />
        </Field>
      </div>
      {!isBackwards && <Accounts period={period} />}
    </MoneyFrame>
  );
}

function Accounts({ period }: { period: Period }) {
  const { data: report, error, isError, isPlaceholderData, refetch } = useReport(period);
  const compared = useComparison(period);
  const sold = useSoldItems(period);
  if (report === undefined) {
    return isError ? (
      <ErrorState
        title="Error loading the accounts. Please check your connection and try again."
        cause={error}
        onRetry={() => void refetch()}
      />
    ) : (
      <AccountsLoading />
    );
  }
  return (
    <div className={classNames("space-y-4", isPlaceholderData && "opacity-60")} aria-busy={isPlaceholderData}>
      <Verdict report={report} compared={compared} />
      {compared.data && sold.data && !isPlaceholderData && (
        <Files report={report} items={sold.data} comparison={compared.data} period={period} />
      )}
      {sold.isError && <ReadNote read={sold} what="items for the report's file" />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Statement title="Shop" rows={onlineStatement(report)} />
        <Statement title="Payment provider" rows={providerStatement(report)} />
        <Statement title="Door and comps" rows={doorStatement(report)} />
        <Statement title="Refunded" rows={refundStatement(report)} />
      </div>
      <FoldingPanel title="What was sold">
        <SoldTable sold={sold} />
      </FoldingPanel>
      {compared.data && (
        <FoldingPanel title="Compared with the provider">
          <DataTable
            caption="Totals in our books and the provider’s"
            rows={compared.data.entries}
            rowKey={({ entry }) => entry}
            columns={entryColumns}
            empty="Nothing to compare in this period."
          />
          {report.provider.other_currencies > 0 && (
            <p className="mt-3 text-sm text-ink-soft">
              {count(report.provider.other_currencies, "transaction")} in other currencies: listed below, but
              not in the totals.
            </p>
          )}
        </FoldingPanel>
      )}
      <LinesPanel period={period} />
    </div>
  );
}

function SoldTable({ sold: { data, error, isError, refetch } }: { sold: ReturnType<typeof useSoldItems> }) {
  if (data === undefined && isError) {
    return (
      <ErrorState
        title="Error loading the items sold. Please check your connection and try again."
        cause={error}
        onRetry={() => void refetch()}
      />
    );
  }
  return data === undefined ? (
    <div role="status">
      <span className="sr-only">Loading the items sold</span>
      <Skeleton className="h-40" />
    </div>
  ) : (
    <DataTable
      caption="Sold by channel and type, including what was refunded later"
      rows={data}
      rowKey={({ channel, name }) => `${channel} ${name}`}
      columns={itemColumns}
      empty="Nothing was sold in this period."
    />
  );
}

function AccountsLoading() {
  return (
    <div role="status">
      <span className="sr-only">Loading the accounts</span>
      <Skeleton className="h-24" />
      <div className="mt-4 grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-72" />
        <Skeleton className="h-72" />
      </div>
    </div>
  );
}

interface VerdictProps {
  report: AccountReport;
  compared: ReturnType<typeof useComparison>;
}

const looks = {
  right: { Icon: CircleCheck, ink: "text-bayou-deep", border: "border-bayou-deep" },
  open: { Icon: Clock, ink: "text-ink-soft", border: "border-ink" },
  wrong: { Icon: CircleAlert, ink: "text-candy-deep", border: "border-candy-deep" },
} as const;

/** Whether the books agree, at the top. */
function Verdict({ report: { provider }, compared: { data, isError, refetch } }: VerdictProps) {
  const { kept, isFetching, fetchNow } = useFetchBooks();
  const verdict = data && verdictOf(data);
  const isFetched = provider.complete_to !== null;
  const look = !verdict || !isFetched ? looks.open : looks[verdict.state];
  return (
    <section
      aria-label="Result"
      className={classNames(
        "flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-2 border-l-[12px] bg-sheet p-4 sm:p-5",
        look.border,
      )}
    >
      <div className="flex min-w-0 items-start gap-3">
        {verdict ? (
          <look.Icon aria-hidden="true" className={classNames("mt-0.5 size-6 shrink-0", look.ink)} />
        ) : (
          !isError && <Spinner label={null} className="mt-1 shrink-0" />
        )}
        <div className="min-w-0" role="status">
          <p className="text-lg leading-snug font-bold">{verdictWords(isFetched, verdict, isError)}</p>
          <p className="text-ink-soft">
            {verdict && `${count(verdict.matched, "line")} matched`}
            {verdict && verdict.waiting > 0 && `, ${verdict.waiting.toLocaleString("en-US")} not fetched yet`}
            {verdict && ". "}
            {provider.complete_to && `Fetched up to ${formatZonedMoment(provider.complete_to)}.`}
          </p>
        </div>
      </div>
      {isError ? (
        <Button variant="secondary" size="small" onClick={() => void refetch()}>
          Try Again
        </Button>
      ) : (
        <Button variant="secondary" size="small" disabled={isFetching} onClick={fetchNow}>
          <RefreshCw aria-hidden="true" className="size-4" strokeWidth={2.5} />
          <span aria-live="polite">
            {isFetching ? `Fetching${kept > 0 ? ` ${kept.toLocaleString("en-US")}` : ""}` : "Fetch Now"}
          </span>
        </Button>
      )}
    </section>
  );
}

function verdictWords(isFetched: boolean, verdict: Result | undefined, isError: boolean): string {
  if (isError) return "The comparison could not be loaded. Please check your connection.";
  if (!verdict) return "Comparing every line with the provider’s books";
  if (!isFetched) return "The provider’s books have not been fetched yet";
  if (verdict.wrong === 0)
    return verdict.waiting > 0 ? "Everything fetched matches to the cent" : "Everything matches to the cent";
  return `${count(verdict.wrong, "line doesn't", "lines don't")} match: ${formatCents(verdict.difference)}`;
}

interface FilesProps {
  report: AccountReport;
  items: readonly SoldItem[];
  comparison: Comparison;
  period: Period;
}

function Files({ report, items, comparison, period }: FilesProps) {
  const name = [period.from, period.to].filter(Boolean).join("-to-");
  const reportFile = useCsvExport({
    name: ["accounts", name].filter(Boolean).join("-"),
    columns: reportCsv,
    rows: async function* () {
      yield reportRows(report, items, comparison);
    },
  });
  const linesFile = useCsvExport({
    name: ["account-lines", name].filter(Boolean).join("-"),
    columns: lineCsv,
    rows: () => allLines(period),
  });
  return (
    <div className="flex flex-wrap gap-3">
      <ExportButton {...reportFile} label="Export Report" />
      <ExportButton {...linesFile} label="Export Lines" />
    </div>
  );
}

const entryColumns: readonly Column<Comparison["entries"][number]>[] = [
  { key: "entry", header: "Kind", cell: ({ entry }) => entryNames[entry] ?? entry },
  {
    key: "ours",
    header: "Our books",
    numeric: true,
    cell: (row) => `${formatCents(row.our_cents)} (${row.our_count.toLocaleString("en-US")})`,
  },
  {
    key: "theirs",
    header: "Provider’s books",
    numeric: true,
    cell: (row) => `${formatCents(row.provider_cents)} (${row.provider_count.toLocaleString("en-US")})`,
  },
  {
    key: "difference",
    header: "Difference",
    numeric: true,
    cell: ({ difference }) => (
      <strong className={difference === 0 ? "" : "text-candy-deep"}>{formatCents(difference)}</strong>
    ),
  },
];

const itemColumns: readonly Column<SoldItem>[] = [
  { key: "channel", header: "Channel", cell: ({ channel }) => channelName(channel) },
  { key: "name", header: "Type", cell: ({ name }) => name },
  { key: "units", header: "Units", numeric: true, cell: ({ units }) => units.toLocaleString("en-US") },
  { key: "cents", header: "Before discount", numeric: true, cell: ({ cents }) => formatCents(cents) },
  { key: "discount", header: "Discount", numeric: true, cell: (row) => formatCents(-row.discount_cents) },
  {
    key: "net",
    header: "Sales",
    numeric: true,
    cell: (row) => <strong>{formatCents(row.cents - row.discount_cents)}</strong>,
  },
];
