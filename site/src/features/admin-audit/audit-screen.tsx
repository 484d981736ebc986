import { useState } from "react";
import { formatStamp, shortId } from "#lib/format.ts";
import { useCsvExport } from "#lib/use-csv-export.ts";
import { Badge } from "#ui/badge.tsx";
import { DataTable } from "#ui/data-table.tsx";
import { ExportButton } from "#ui/export-button.tsx";
import { Select } from "#ui/input.tsx";
import { Pager } from "#ui/pager.tsx";
import { ScreenHead } from "#ui/screen-head.tsx";
import { ErrorState } from "#ui/screen-states.tsx";
import { SearchField } from "#ui/search-field.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { Changes } from "./changes.tsx";
import {
  actionFilters,
  actionKind,
  AUDIT_PAGE,
  isActionFilter,
  kindTone,
  matching,
  type ActionFilter,
  type AuditEntry,
} from "./model.ts";
import { auditCsv, auditCsvHeader, useAuditLogs } from "./queries.ts";

export function AuditScreen() {
  const [place, setPlace] = useState<{ page: number; before?: string }>({ page: 1 });
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<ActionFilter>("All");
  const logs = useAuditLogs(place.page, place.before);
  const csv = useCsvExport({ name: "audit-logs", header: auditCsvHeader, pages: auditCsv });

  function turnTo(page: number) {
    const before = place.before ?? logs.data?.entries[0]?.created_at;
    setPlace(page > 1 && before ? { page, before } : { page });
  }

  return (
    <>
      <ScreenHead title="Audit Logs" actions={<ExportButton {...csv} />} />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by action or table"
          placeholder="Search by action or table"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Select
          dense
          className="w-full sm:w-48"
          aria-label="Action type"
          value={filter}
          onChange={(event) => setFilter(isActionFilter(event.target.value) ? event.target.value : "All")}
        >
          {actionFilters.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </div>
      {logs.data ? (
        <>
          <AuditTable entries={matching(logs.data.entries, search, filter).slice(0, AUDIT_PAGE)} />
          <Pager
            label="Pages of the audit log"
            page={place.page}
            pages={Math.max(1, Math.ceil(logs.data.total / AUDIT_PAGE))}
            onPage={turnTo}
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
            <span className="whitespace-nowrap tabular-nums">{formatStamp(entry.created_at)}</span>
          ),
        },
        {
          key: "action",
          header: "Action",
          cell: (entry) => <Badge tone={kindTone[actionKind(entry.action_type)]}>{entry.action_type}</Badge>,
        },
        { key: "table", header: "Table", cell: (entry) => entry.table_name },
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
