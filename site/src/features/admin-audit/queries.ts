import { read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import type { Json } from "contract/database";
import { auditEntry, type AuditEntry, type AuditFilter } from "./model.ts";

export const auditList: ListSource<AuditEntry, AuditFilter> = {
  key: "audit-logs",
  size: 25,
  readSize: 50, // PRODUCT 9.8
  async read({ search, kind }, size, place) {
    const answer = await read("audit logs", (supabase) =>
      supabase.rpc("list_audit_logs", {
        p_search: search,
        ...(kind && { p_kind: kind }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    return parseListPage("audit logs", auditEntry, answer);
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

export const auditCsv: readonly CsvColumn<AuditEntry>[] = [
  ["Timestamp (Central)", (row) => csvTime(row.created_at)],
  ["Action", (row) => row.action_type],
  ["Table", (row) => row.table_name],
  ["Record", (row) => row.record_id],
  ["Name", (row) => row.record_name],
  ["Admin User", (row) => row.admin_user_id],
  ["Before", (row) => valuesText(row.old_values)],
  ["After", (row) => valuesText(row.new_values)],
  ["IP Address", (row) => row.ip_address],
  ["Browser", (row) => row.user_agent],
];

function valuesText(values: Json): string {
  return values === null ? "" : JSON.stringify(values);
}
