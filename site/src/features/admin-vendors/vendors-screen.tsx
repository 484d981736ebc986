import { useState } from "react";
import { formatShortDay } from "#lib/format.ts";
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
  matching,
  statuses,
  VENDORS_PAGE,
  type VendorApplication,
  type VendorStatus,
} from "./model.ts";
import { useVendorApplications, useVendorCounts, vendorCsv, vendorCsvHeader } from "./queries.ts";
import { StatusSelector } from "./status-selector.tsx";

export function VendorsScreen() {
  const [search, setSearch] = useState("");
  const [status, setStatus] = useState<VendorStatus>();
  const [page, setPage] = useState(1);
  const [openId, setOpenId] = useState<string>();
  const applications = useVendorApplications(status);
  const csv = useCsvExport({ name: "vendors", header: vendorCsvHeader, pages: () => vendorCsv(status) });

  const found = matching(applications.data ?? [], search);
  const pages = Math.max(1, Math.ceil(found.length / VENDORS_PAGE));
  const current = Math.min(page, pages);

  return (
    <>
      <ScreenHead title="Vendors Management" actions={<ExportButton {...csv} />} />
      <Counts />
      <div className="my-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by booth name, contact name or email"
          placeholder="Search by booth, contact or email"
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setPage(1);
          }}
        />
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => {
            setStatus(isVendorStatus(event.target.value) ? event.target.value : undefined);
            setPage(1);
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
            applications={found.slice((current - 1) * VENDORS_PAGE, current * VENDORS_PAGE)}
            filtered={search.trim() !== "" || status !== undefined}
            onOpen={setOpenId}
          />
          <Pager label="Pages of applications" page={current} pages={pages} onPage={setPage} />
          <ApplicationDialog
            application={applications.data.find(({ id }) => id === openId)}
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

function Counts() {
  const { data } = useVendorCounts();
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {statuses.map(({ status, name }) => (
        <FigureCard key={status} label={name} value={data?.get(status) ?? "–"} />
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
