// What the audit log shows of an entry: its kind, and what changed, cut to a readable length.
import type { BadgeTone } from "#ui/badge.tsx";
import type { Database, Json } from "contract/database";

export type AuditEntry = Database["public"]["Tables"]["audit_logs"]["Row"];

export const AUDIT_PAGE = 25;
/** Rows fetched from the page's offset on; search and filter look through them. */
export const AUDIT_FETCH = 50;
const PREVIEW = 100;
const VIEW = 200;

export const actionFilters = ["All", "Create", "Update", "Delete", "Errors"] as const;
export type ActionFilter = (typeof actionFilters)[number];

export function isActionFilter(value: string): value is ActionFilter {
  return actionFilters.some((filter) => filter === value);
}

export function actionKind(action: string): Exclude<ActionFilter, "All"> | "Other" {
  if (/ERROR|CRITICAL/i.test(action)) return "Errors";
  if (/CREATE|INSERT/i.test(action)) return "Create";
  if (/UPDATE/i.test(action)) return "Update";
  return /DELETE/i.test(action) ? "Delete" : "Other";
}

export const kindTone: Record<ReturnType<typeof actionKind>, BadgeTone> = {
  Errors: "danger",
  Create: "success",
  Update: "highlight",
  Delete: "warning",
  Other: "default",
};

/** The action or the table contains the search, and the action is of the chosen kind. */
export function matching(entries: readonly AuditEntry[], search: string, filter: ActionFilter): AuditEntry[] {
  const wanted = search.trim().toLowerCase();
  return entries.filter(
    ({ action_type, table_name }) =>
      (filter === "All" || actionKind(action_type) === filter) &&
      [action_type, table_name ?? ""].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** The fields whose values differ, old and new. A creation shows everything, a deletion likewise. */
export function changedFields(entry: AuditEntry): { before: Json; after: Json } {
  const { old_values: before, new_values: after } = entry;
  if (!isRecord(before) || !isRecord(after)) return { before, after };
  const changed = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  const only = (values: Record<string, Json | undefined>) =>
    Object.fromEntries(changed.filter((key) => key in values).map((key) => [key, values[key]]));
  return { before: only(before), after: only(after) };
}

export function viewText(value: Json): string {
  return value === null ? "None" : cut(JSON.stringify(value, null, 1), VIEW);
}

export function previewText(entry: AuditEntry): string {
  const { before, after } = changedFields(entry);
  const value = after ?? before;
  return value === null ? "No values" : cut(JSON.stringify(value), PREVIEW);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function isRecord(value: Json): value is { [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
