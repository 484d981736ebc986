import { useState } from "react";
import { useDeferredSearch } from "#lib/deferred-search.ts";
import { formatShortDay } from "#lib/format.ts";
import { useListPages } from "#lib/list-pages.ts";
import { useCsvExport } from "#lib/use-csv-export.ts";
import { Button } from "#ui/button.tsx";
import { DataTable } from "#ui/data-table.tsx";
import { ExportButton } from "#ui/export-button.tsx";
import { FigureCard } from "#ui/figure-card.tsx";
import { Select } from "#ui/input.tsx";
import { Pager } from "#ui/pager.tsx";
import { ScreenHead } from "#ui/screen-head.tsx";
import { ErrorState } from "#ui/screen-states.tsx";
import { SearchField } from "#ui/search-field.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { ApplicationDialog, StatusBadge } from "./application-dialog.tsx";
import {
  isVendorStatus,
  statuses,
  VENDORS_PAGE,
  type VendorApplication,
  type VendorPage,
  type VendorStatus,
} from "./model.ts";
import { startAfterApplication, useVendorApplications, vendorCsv, vendorCsvHeader } from "./queries.ts";
import { StatusSelector } from "./status-selector.tsx";

export function VendorsScreen() {
  const pages = useListPages(VENDORS_PAGE);
  const search = useDeferredSearch();
  const [status, setStatus] = useState<VendorStatus>();
  const [openId, setOpenId] = useState<string>();
  const filter = { search: search.settled, status };
  const applications = useVendorApplications(filter, pages.start);
  const csv = useCsvExport({ name: "vendors", header: vendorCsvHeader, pages: () => vendorCsv(filter) });

  return (
    <>
      <ScreenHead title="Vendors Management" actions={<ExportButton {...csv} />} />
      <Counts byStatus={applications.data?.byStatus} />
      <div className="my-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by booth name, contact name or email"
          placeholder="Search by booth, contact or email"
          value={search.typed}
          onChange={(event) => {
            search.type(event.target.value);
            pages.reset();
          }}
        />
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => {
            setStatus(isVendorStatus(event.target.value) ? event.target.value : undefined);
            pages.reset();
          }}
        >
          <option value="">All statuses</option>
          {statuses.map(({ status, name }) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      {applications.data ? (
        <>
          <ApplicationTable
            applications={applications.data.rows}
            filtered={filter.search !== "" || status !== undefined}
            onOpen={setOpenId}
          />
          <Pager
            label="Pages of applications"
            {...pages.pagerOf(applications.data, !applications.isPlaceholderData, startAfterApplication)}
          />
          <ApplicationDialog
            application={applications.data.rows.find(({ id }) => id === openId)}
            onClose={() => setOpenId(undefined)}
          />
        </>
      ) : applications.isError ? (
        <ErrorState
          title="Error loading vendor applications. Please check your connection and try again."
          onRetry={() => void applications.refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading vendor applications</span>
          <Skeleton className="h-96" />
        </div>
      )}
    </>
  );
}

function Counts({ byStatus }: { byStatus: VendorPage["byStatus"] | undefined }) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {statuses.map(({ status, name }) => (
        <FigureCard key={status} label={name} value={byStatus ? (byStatus[status] ?? 0) : "–"} />
      ))}
    </dl>
  );
}

interface ApplicationTableProps {
  applications: readonly VendorApplication[];
  filtered: boolean;
  onOpen: (id: string) => void;
}

function ApplicationTable({ applications, filtered, onOpen }: ApplicationTableProps) {
  return (
    <DataTable
      caption="Vendor applications"
      rows={applications}
      rowKey={(row) => row.id}
      empty={filtered ? "No vendor applications match." : "No vendor has applied yet."}
      columns={[
        {
          key: "booth",
          header: "Booth Name",
          cell: (row) => <span className="font-semibold">{row.booth_name}</span>,
        },
        {
          key: "contact",
          header: "Contact",
          cell: (row) => (
            <>
              {row.contact_name}
              <span className="block text-sm text-ink-soft">{row.contact_email}</span>
              <span className="block text-sm text-ink-soft tabular-nums">{row.contact_phone}</span>
            </>
          ),
        },
        { key: "status", header: "Status", cell: (row) => <StatusBadge status={row.status} /> },
        {
          key: "submitted",
          header: "Submitted",
          cell: (row) => <span className="whitespace-nowrap">{formatShortDay(row.submission_date)}</span>,
        },
        { key: "size", header: "Booth Size", cell: (row) => row.booth_size_requested || "Not specified" },
        {
          key: "actions",
          header: "Actions",
          cell: (row) => (
            <span className="flex items-center gap-2">
              <StatusSelector application={row} />
              <Button
                size="small"
                variant="secondary"
                aria-label={`Details of ${row.booth_name}`}
                onClick={() => onOpen(row.id)}
              >
                Details
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}
