import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { read } from "#lib/back-office-reads.ts";
import type { CsvPage } from "#lib/csv.ts";
import { ROW_PAGE, rowPages } from "#lib/row-pages.ts";
import { getSupabase } from "#lib/supabase.ts";
import { AUDIT_FETCH, AUDIT_PAGE, type AuditEntry } from "./model.ts";

const WHAT = "audit logs";

/** `page` from 1. `before` keeps later pages still while entries arrive: the newest entry that page 1 showed. */
export function useAuditLogs(page: number, before: string | undefined) {
  return useQuery({
    queryKey: ["audit-logs", page, before],
    queryFn: async () => {
      const supabase = await getSupabase();
      const from = (page - 1) * AUDIT_PAGE;
      let rows = supabase.from("audit_logs").select("*");
      let all = supabase.from("audit_logs").select("id", { count: "exact", head: true });
      if (before) {
        rows = rows.lte("created_at", before);
        all = all.lte("created_at", before);
      }
      const [{ data, error }, { count, error: countError }] = await Promise.all([
        rows
          .order("created_at", { ascending: false })
          .order("id")
          .range(from, from + AUDIT_FETCH - 1),
        all,
      ]);
      const failure = error ?? countError;
      if (failure) throw new Error(`Failed to fetch ${WHAT}: ${failure.message}`);
      return { entries: data ?? [], total: count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

export const auditCsvHeader = [
  "Timestamp",
  "Action",
  "Table",
  "Record",
  "Admin User",
  "Before",
  "After",
  "Address",
  "Browser",
];

export async function* auditCsv(): AsyncGenerator<CsvPage> {
  const pages = rowPages<AuditEntry>("created_at", ({ after }) =>
    read(WHAT, (supabase) => {
      const rows = supabase.from("audit_logs").select("*");
      return (after ? rows.or(after) : rows)
        .order("created_at", { ascending: false })
        .order("id")
        .limit(ROW_PAGE);
    }),
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        row.created_at,
        row.action_type,
        row.table_name,
        row.record_id,
        row.admin_user_id,
        row.old_values === null ? "" : JSON.stringify(row.old_values),
        row.new_values === null ? "" : JSON.stringify(row.new_values),
        row.ip_address,
        row.user_agent,
      ]),
    };
  }
}
