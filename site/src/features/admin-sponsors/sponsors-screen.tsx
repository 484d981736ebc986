import { count, formatShortDay } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable } from "#ui/lists/data-table.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { Pager } from "#ui/lists/pager.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { SearchField } from "#ui/lists/search-field.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import {
  sponsorCsv,
  sponsorCsvHeader,
  SPONSORS_PAGE,
  startAfterInquiry,
  useSponsorInquiries,
  type SponsorInquiry,
} from "./queries.ts";

export function SponsorsScreen() {
  const view = useListView(SPONSORS_PAGE);
  const search = view.search.settled;
  const { data, isError, isPlaceholderData, refetch } = useSponsorInquiries(search, view.start);
  const csv = useCsvExport({ name: "sponsors", header: sponsorCsvHeader, pages: () => sponsorCsv(search) });
  return (
    <>
      <ScreenHead
        title="Sponsor Inquiries"
        badge={data && <Badge>{count(data.total, "inquiry", "inquiries")}</Badge>}
        actions={<ExportButton {...csv} />}
      />
      <div className="mb-4 flex">
        <SearchField
          aria-label="Search by company, contact or email"
          placeholder="Search by company, contact or email"
          value={view.search.typed}
          onChange={(event) => view.search.type(event.target.value)}
        />
      </div>
      {data ? (
        <>
          <InquiryTable inquiries={data.rows} searched={search !== ""} />
          <Pager label="Pages of inquiries" {...view.pagerOf(data, !isPlaceholderData, startAfterInquiry)} />
        </>
      ) : isError ? (
        <ErrorState
          title="Error loading sponsor inquiries. Please check your connection and try again."
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading sponsor inquiries</span>
          <Skeleton className="h-80" />
        </div>
      )}
    </>
  );
}

interface InquiryTableProps {
  inquiries: readonly SponsorInquiry[];
  searched: boolean;
}

function InquiryTable({ inquiries, searched }: InquiryTableProps) {
  return (
    <DataTable
      caption="Sponsor inquiries"
      rows={inquiries}
      rowKey={(row) => row.id}
      empty={searched ? "No sponsor inquiries match." : "No sponsor has written yet."}
      columns={[
        {
          key: "company",
          header: "Company",
          cell: (row) => <span className="font-semibold wrap-anywhere">{row.company_name}</span>,
        },
        {
          key: "contact",
          header: "Contact",
          cell: (row) => (
            <>
              {row.contact_name}
              <a
                className="block text-sm wrap-anywhere underline underline-offset-2"
                href={`mailto:${row.email}`}
              >
                {row.email}
              </a>
              <span className="block text-sm text-ink-soft tabular-nums">{row.phone}</span>
            </>
          ),
        },
        {
          key: "level",
          header: "Level",
          cell: (row) => <span className="capitalize">{row.sponsorship_level ?? "Not chosen"}</span>,
        },
        {
          key: "message",
          header: "Message",
          cell: (row) => (
            <p className="max-w-md wrap-break-word whitespace-pre-line sm:min-w-40">
              {row.message || "None"}
            </p>
          ),
        },
        {
          key: "received",
          header: "Received",
          cell: (row) => <span className="xl:whitespace-nowrap">{formatShortDay(row.created_at)}</span>,
        },
      ]}
    />
  );
}
