import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE, type CsvPage } from "#lib/lists/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { parseListPage, startArgs, wholeList, type PageStart } from "#lib/lists/list-pages.ts";
import { AUDIT_FETCH, auditEntry, type ActionFilter, type AuditEntry } from "./model.ts";

export interface AuditFilter {
  search: string;
  kind: ActionFilter;
}

/** One page of entries; `start` is where the page before it ended. */
export function useAuditLogs(filter: AuditFilter, start: PageStart | undefined) {
  return useQuery({
    queryKey: ["audit-logs", filter, start],
    queryFn: () => fetchEntries(filter, AUDIT_FETCH, start),
    placeholderData: keepPreviousData,
  });
}

export const startAfterEntry = (last: AuditEntry): PageStart => ({ at: last.created_at, id: last.id });

async function fetchEntries({ search, kind }: AuditFilter, size: number, start: PageStart | undefined) {
  return parseListPage(
    auditEntry,
    await read("audit logs", (supabase) =>
      supabase.rpc("list_audit_logs", {
        p_search: search,
        ...(kind !== "All" && { p_kind: kind }),
        page_size: size,
        ...startArgs(start),
      }),
    ),
  );
}

export const auditCsvHeader = [
  "Timestamp (Central)",
  "Action",
  "Table",
  "Record",
  "Name",
  "Admin User",
  "Before",
  "After",
  "Address",
  "Browser",
];

export async function* auditCsv(filter: AuditFilter): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    async (start) => (await fetchEntries(filter, CSV_PAGE, start)).rows,
    startAfterEntry,
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        formatStamp(row.created_at),
        row.action_type,
        row.table_name,
        row.record_id,
        row.record_name,
        row.admin_user_id,
        row.old_values === null ? "" : JSON.stringify(row.old_values),
        row.new_values === null ? "" : JSON.stringify(row.new_values),
        row.ip_address,
        row.user_agent,
      ]),
    };
  }
}
