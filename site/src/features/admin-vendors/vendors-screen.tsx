import { useState } from "react";
import { formatShortDay } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { FigureRow } from "#ui/figures/figure-row.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { ApplicationDialog, StatusBadge } from "./application-dialog.tsx";
import { isVendorStatus, statuses, type VendorApplication, type VendorPage } from "./model.ts";
import { vendorCsv, vendorList } from "./queries.ts";
import { StatusSelector } from "./status-selector.tsx";

export function VendorsScreen() {
  const view = useListView(vendorList.size);
  const asked = view.filter("status");
  const filter = { search: view.search.settled, status: isVendorStatus(asked) ? asked : undefined };
  const list = useList(vendorList, filter, view);
  const csv = useCsvExport({
    name: "vendors",
    columns: vendorCsv,
    rows: () => allRows(vendorList, filter),
  });
  const [opened, setOpened] = useState<VendorApplication>();
  /** The application that a notification links to. */
  const linked = view.filter("application");
  const isFiltered = filter.search !== "" || filter.status !== undefined;
  return (
    <>
      <ListFrame
        title="Vendors Management"
        rowsAre="vendor applications"
        list={list}
        csv={csv}
        figures={<Counts byStatus={list.page?.byStatus} />}
        search={{
          ...view.search,
          label: "Search by booth name, contact name or email",
          placeholder: "Search by booth, contact or email",
        }}
        filters={
          <FilterSelect
            label="Status"
            value={filter.status}
            all="All statuses"
            options={statuses.map(({ status, name }) => ({ value: status, label: name }))}
            onChoose={(status) => view.setFilter("status", status)}
          />
        }
      >
        {({ rows }) => (
          <DataTable
            caption="Vendor applications"
            rows={rows}
            rowKey={(row) => row.id}
            empty={isFiltered ? "No vendor applications match." : "No vendor applications yet."}
            columns={columnsWith(setOpened)}
          />
        )}
      </ListFrame>
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
    <FigureRow>
      {statuses.map(({ status, name }) => (
        <FigureCard key={status} label={name} value={byStatus ? (byStatus[status] ?? 0) : "–"} />
      ))}
    </FigureRow>
  );
}

function columnsWith(onOpen: (row: VendorApplication) => void): readonly Column<VendorApplication>[] {
  return [
    {
      key: "booth",
      header: "Booth Name",
      cell: (row) => <span className="block font-semibold wrap-anywhere sm:min-w-24">{row.booth_name}</span>,
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
    { key: "status", phone: "corner", header: "Status", cell: (row) => <StatusBadge status={row.status} /> },
    {
      key: "submitted",
      header: "Submitted",
      cell: (row) => <span className="xl:whitespace-nowrap">{formatShortDay(row.submission_date)}</span>,
    },
    { key: "size", header: "Booth Size", cell: (row) => row.booth_size_requested || "Not specified" },
    {
      key: "actions",
      phone: "end",
      header: "Actions",
      cell: (row) => (
        <span className="flex flex-wrap items-center gap-2 xl:flex-nowrap">
          <StatusSelector application={row} />
          <Button
            size="small"
            variant="secondary"
            aria-label={`Details for ${row.booth_name}`}
            onClick={() => onOpen(row)}
          >
            Details
          </Button>
        </span>
      ),
    },
  ];
}
