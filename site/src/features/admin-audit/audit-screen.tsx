import { Fragment } from "react";
import { formatStamp, shortId } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable } from "#ui/lists/data-table.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { Select } from "#ui/forms/input.tsx";
import { Pager } from "#ui/lists/pager.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { SearchField } from "#ui/lists/search-field.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { Changes } from "./changes.tsx";
import { actionFilters, AUDIT_PAGE, isActionFilter, kindTone, type AuditEntry } from "./model.ts";
import { auditCsv, auditCsvHeader, startAfterEntry, useAuditLogs } from "./queries.ts";

export function AuditScreen() {
  const view = useListView(AUDIT_PAGE);
  const asked = view.filter("kind");
  const kind = isActionFilter(asked) ? asked : "All";
  const filter = { search: view.search.settled, kind };
  const logs = useAuditLogs(filter, view.start);
  const csv = useCsvExport({ name: "audit-logs", header: auditCsvHeader, pages: () => auditCsv(filter) });
  const shown = logs.data && { ...logs.data, rows: logs.data.rows.slice(0, AUDIT_PAGE) };

  return (
    <>
      <ScreenHead title="Audit Logs" actions={<ExportButton {...csv} />} />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by action or table"
          placeholder="Search by action or table"
          value={view.search.typed}
          onChange={(event) => view.search.type(event.target.value)}
        />
        <Select
          dense
          className="w-full sm:w-48"
          aria-label="Action type"
          value={kind}
          onChange={(event) => view.setFilter("kind", event.target.value === "All" ? "" : event.target.value)}
        >
          {actionFilters.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </div>
      {shown ? (
        <>
          <AuditTable entries={shown.rows} />
          <Pager
            label="Pages of the audit log"
            {...view.pagerOf(shown, !logs.isPlaceholderData, startAfterEntry)}
          />
        </>
      ) : logs.isError ? (
        <ErrorState
          title="Error loading audit logs. Please check your connection and try again."
          onRetry={() => void logs.refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading audit logs</span>
          <Skeleton className="h-96" />
        </div>
      )}
    </>
  );
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <DataTable
      caption="Audit logs"
      rows={entries}
      rowKey={(entry) => entry.id}
      empty="No audit logs found matching your criteria."
      columns={[
        {
          key: "time",
          header: "Timestamp",
          cell: (entry) => (
            <span className="tabular-nums xl:whitespace-nowrap">{formatStamp(entry.created_at)}</span>
          ),
        },
        {
          key: "action",
          header: "Action",
          cell: (entry) => (
            <Badge tone={kindTone[entry.kind]} className="whitespace-normal! xl:whitespace-nowrap!">
              <Identifier name={entry.action_type} />
            </Badge>
          ),
        },
        {
          key: "table",
          header: "Table",
          cell: (entry) => entry.table_name && <Identifier name={entry.table_name} />,
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
        { key: "changes", header: "Changes", cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  );
}

/** A long name of the database may break after its underscores. */
function Identifier({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
