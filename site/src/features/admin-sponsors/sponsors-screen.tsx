import { count, formatShortDay } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { inquiryCsv, inquiryList, type SponsorInquiry } from "./queries.ts";

const searched = "Search by company, contact or email";

export function SponsorsScreen() {
  const view = useListView(inquiryList.size);
  const filter = { search: view.search.settled };
  const list = useList(inquiryList, filter, view);
  const csv = useCsvExport({
    name: "sponsors",
    columns: inquiryCsv,
    rows: () => allRows(inquiryList, filter),
  });
  return (
    <ListFrame
      title="Sponsor Inquiries"
      tally={({ total }) => count(total, "inquiry", "inquiries")}
      rowsAre="sponsor inquiries"
      list={list}
      csv={csv}
      search={{ ...view.search, label: searched, placeholder: searched }}
    >
      {({ rows }) => (
        <DataTable
          caption="Sponsor inquiries"
          rows={rows}
          rowKey={(row) => row.id}
          empty={filter.search ? "No sponsor inquiries match." : "No sponsor inquiries yet."}
          columns={columns}
        />
      )}
    </ListFrame>
  );
}

const columns: readonly Column<SponsorInquiry>[] = [
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
        <a className="block text-sm underline underline-offset-2" href={`mailto:${row.email}`}>
          <EmailText>{row.email}</EmailText>
        </a>
        <span className="block text-sm text-ink-soft tabular-nums">{row.phone}</span>
      </>
    ),
  },
  {
    key: "level",
    phone: "corner",
    header: "Level",
    cell: (row) => <span className="capitalize">{row.sponsorship_level ?? "Not chosen"}</span>,
  },
  {
    key: "message",
    phone: "line",
    header: "Message",
    cell: (row) => (
      <p className="max-w-md wrap-break-word whitespace-pre-line sm:min-w-40">{row.message || "None"}</p>
    ),
  },
  {
    key: "received",
    header: "Received",
    cell: (row) => <span className="xl:whitespace-nowrap">{formatShortDay(row.created_at)}</span>,
  },
];
