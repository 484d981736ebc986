import { useState } from "react";
import { formatShortDay } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Button } from "#ui/basics/button.tsx";
import { DataTable } from "#ui/lists/data-table.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { Select } from "#ui/forms/input.tsx";
import { Pager } from "#ui/lists/pager.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { SearchField } from "#ui/lists/search-field.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ApplicationDialog, StatusBadge } from "./application-dialog.tsx";
import { isVendorStatus, statuses, VENDORS_PAGE, type VendorApplication, type VendorPage } from "./model.ts";
import { startAfterApplication, useVendorApplications, vendorCsv, vendorCsvHeader } from "./queries.ts";
import { StatusSelector } from "./status-selector.tsx";

export function VendorsScreen() {
  const view = useListView(VENDORS_PAGE);
  const asked = view.filter("status");
  const status = isVendorStatus(asked) ? asked : undefined;
  const [opened, setOpened] = useState<VendorApplication>();
  /** The application that a link of the bell leads to. */
  const linked = view.filter("application");
  const filter = { search: view.search.settled, status };
  const applications = useVendorApplications(filter, view.start);
  const csv = useCsvExport({ name: "vendors", header: vendorCsvHeader, pages: () => vendorCsv(filter) });

  return (
    <>
      <ScreenHead title="Vendors Management" actions={<ExportButton {...csv} />} />
      <Counts byStatus={applications.data?.byStatus} />
      <div className="my-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by booth name, contact name or email"
          placeholder="Search by booth, contact or email"
          value={view.search.typed}
          onChange={(event) => view.search.type(event.target.value)}
        />
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Status"
          value={status ?? ""}
          onChange={(event) => view.setFilter("status", event.target.value)}
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
            onOpen={setOpened}
          />
          <Pager
            label="Pages of applications"
            {...view.pagerOf(applications.data, !applications.isPlaceholderData, startAfterApplication)}
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
      <ApplicationDialog
        id={opened?.id ?? (linked || undefined)}
        listed={opened}
        onClose={() => {
          setOpened(undefined);
          if (linked) view.setFilter("application", "");
        }}
      />
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
  onOpen: (application: VendorApplication) => void;
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
          cell: (row) => (
            <span className="block font-semibold wrap-anywhere sm:min-w-24">{row.booth_name}</span>
          ),
        },
        {
          key: "contact",
          header: "Contact",
          cell: (row) => (
            <div className="wrap-anywhere sm:min-w-36 xl:min-w-48">
              {row.contact_name}
              <EmailText className="block text-sm text-ink-soft">{row.contact_email}</EmailText>
              <span className="block text-sm text-ink-soft tabular-nums">{row.contact_phone}</span>
            </div>
          ),
        },
        { key: "status", header: "Status", cell: (row) => <StatusBadge status={row.status} /> },
        {
          key: "submitted",
          header: "Submitted",
          cell: (row) => <span className="xl:whitespace-nowrap">{formatShortDay(row.submission_date)}</span>,
        },
        { key: "size", header: "Booth Size", cell: (row) => row.booth_size_requested || "Not specified" },
        {
          key: "actions",
          header: "Actions",
          cell: (row) => (
            <span className="flex flex-wrap items-center gap-2 xl:flex-nowrap">
              <StatusSelector application={row} />
              <Button
                size="small"
                variant="secondary"
                aria-label={`Details of ${row.booth_name}`}
                onClick={() => onOpen(row)}
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
