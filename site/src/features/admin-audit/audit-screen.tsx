import { Fragment } from "react";
import { formatMoment, shortId } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { Changes } from "./changes.tsx";
import { actionFilters, isActionFilter, kindTone, type AuditEntry } from "./model.ts";
import { auditCsv, auditList } from "./queries.ts";

const searched = "Search by action or table";

export function AuditScreen() {
  const view = useListView(auditList.size);
  const asked = view.filter("kind");
  const filter = { search: view.search.settled, kind: isActionFilter(asked) ? asked : undefined };
  const list = useList(auditList, filter, view);
  const csv = useCsvExport({
    name: "audit-logs",
    columns: auditCsv,
    rows: () => allRows(auditList, filter),
  });
  return (
    <ListFrame
      title="Audit Logs"
      rowsAre="audit logs"
      list={list}
      csv={csv}
      search={{ ...view.search, label: searched, placeholder: searched }}
      filters={
        <FilterSelect
          label="Action type"
          value={filter.kind}
          all="All"
          options={actionFilters.map((kind) => ({ value: kind, label: kind }))}
          onChoose={(kind) => view.setFilter("kind", kind)}
        />
      }
    >
      {({ rows }) => (
        <DataTable
          caption="Audit logs"
          rows={rows}
          rowKey={(entry) => entry.id}
          empty="No audit logs found matching your criteria."
          columns={columns}
        />
      )}
    </ListFrame>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  {
    key: "time",
    header: "Timestamp",
    cell: (entry) => (
      <span className="tabular-nums xl:whitespace-nowrap">{formatMoment(entry.created_at)}</span>
    ),
  },
  {
    key: "action",
    phone: "corner",
    header: "Action",
    cell: (entry) => (
      <Badge tone={kindTone[entry.kind]} className="whitespace-normal! xl:whitespace-nowrap!">
        <Identifier name={entry.action_type} />
      </Badge>
    ),
  },
  {
    key: "table",
    phone: "plain",
    header: "Table",
    cell: (entry) => (entry.table_name ? <Identifier name={entry.table_name} /> : "None"),
  },
  {
    key: "admin",
    header: "Admin User",
    cell: (entry) =>
      entry.admin_user_id ? (
        <span className="font-mono text-sm">{shortId(entry.admin_user_id)}…</span>
      ) : (
        <span className="text-ink-soft">System</span>
      ),
  },
  { key: "changes", phone: "line", header: "Changes", cell: (entry) => <Changes entry={entry} /> },
];

/** A database name, which may wrap after underscores. */
function Identifier({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
