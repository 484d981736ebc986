// What the audit log shows of an entry: its kind and the changes, truncated to a readable length.
import { formatZonedMoment } from "#lib/format.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import type { Json } from "contract/database";
import { z } from "zod";

export const actionFilters = ["Create", "Update", "Delete", "Errors"] as const;
type ActionFilter = (typeof actionFilters)[number];

export interface AuditFilter {
  search: string;
  kind: ActionFilter | undefined;
}

const kinds = ["Create", "Update", "Delete", "Errors", "Other"] as const;
const values = z.json().transform((value): Json => value);

/**
 * The database derives `kind` from the action. An error counts as an error, whatever else the action says.
 */
export const auditEntry = z.object({
  id: z.string(),
  admin_user_id: z.string().nullable(),
  action_type: z.string(),
  kind: z.enum(kinds),
  table_name: z.string().nullable(),
  record_id: z.string().nullable(),
  /** A readable name for the record: an order's number, a ticket type's name, a user's email. */
  record_name: z.string().nullish(),
  old_values: values,
  new_values: values,
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

const PREVIEW = 100;
const VIEW = 200;

export function isActionFilter(value: string): value is ActionFilter {
  return actionFilters.some((filter) => filter === value);
}

export const kindTone: Record<AuditEntry["kind"], BadgeTone> = {
  Errors: "danger",
  Create: "success",
  Update: "highlight",
  Delete: "warning",
  Other: "default",
};

/** Columns that the database maintains itself. They change with every edit and say nothing about it. */
const bookkeeping = new Set(["id", "version", "created_at", "updated_at", "held", "sold", "only_row"]);

/** The fields whose values differ, old and new. A creation or deletion shows all fields. */
export function changedFields(entry: AuditEntry): { before: Json; after: Json } {
  const { old_values: before, new_values: after } = entry;
  const keys = Object.keys({ ...fieldsOf(before), ...fieldsOf(after) }).filter(
    (key) =>
      !bookkeeping.has(key) && JSON.stringify(fieldsOf(before)[key]) !== JSON.stringify(fieldsOf(after)[key]),
  );
  const only = (values: Json): Json =>
    isRecord(values)
      ? Object.fromEntries(keys.filter((key) => key in values).map((key) => [key, values[key]]))
      : values;
  return { before: only(before), after: only(after) };
}

export function viewText(value: Json): string {
  return value === null ? "None" : cut(JSON.stringify(value, inCentralTime, 1), VIEW);
}

export function previewText(entry: AuditEntry): string {
  const { before, after } = changedFields(entry);
  const value = after ?? before;
  return value === null ? "No values" : cut(JSON.stringify(value, inCentralTime), PREVIEW);
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function inCentralTime(_key: string, value: unknown): unknown {
  return typeof value === "string" && MOMENT.test(value) ? formatZonedMoment(value) : value;
}

/** A readable name for the record. The shop's single settings row has a meaningless key. */
export function recordName({ table_name, record_name }: AuditEntry): string | null | undefined {
  return table_name === "shop_settings" ? "Shop settings" : record_name;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function fieldsOf(value: Json): Record<string, Json | undefined> {
  return isRecord(value) ? value : {};
}

function isRecord(value: Json): value is { [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
