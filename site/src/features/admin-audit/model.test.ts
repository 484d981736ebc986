import { expect, it } from "vitest";
import { changedFields, previewText, recordName, viewText, type AuditEntry } from "./model.ts";

const entry = (part: Partial<AuditEntry>): AuditEntry => ({
  id: "1",
  admin_user_id: null,
  action_type: "UPDATE",
  kind: "Update",
  table_name: "ticket_types",
  record_id: null,
  record_name: null,
  old_values: null,
  new_values: null,
  ip_address: null,
  user_agent: null,
  created_at: "2025-06-01T00:00:00Z",
  ...part,
});

it("shows only what changed", () => {
  const change = entry({ old_values: { price: 45, name: "GA" }, new_values: { price: 50, name: "GA" } });
  expect(changedFields(change)).toEqual({ before: { price: 45 }, after: { price: 50 } });
  expect(previewText(change)).toBe('{"price":50}');
});

it("shows times in Central time, and names the shop's settings", () => {
  const change = entry({
    table_name: "shop_settings",
    record_id: "true",
    old_values: { sale_opens_at: null },
    new_values: { sale_opens_at: "2026-12-01T16:00:00+00:00" },
  });
  expect(previewText(change)).toBe('{"sale_opens_at":"Dec 1, 2026, 10:00 AM CT"}');
  expect(viewText(change.new_values)).toContain("Dec 1, 2026, 10:00 AM CT");
  expect(recordName(change)).toBe("Shop settings");
  expect(recordName(entry({ record_name: "VIP" }))).toBe("VIP");
});

it("leaves out the columns that the database maintains itself", () => {
  const change = entry({
    old_values: { id: "7", price: 45, version: 1, sold: 3, held: 0, updated_at: "a" },
    new_values: { id: "7", price: 50, version: 2, sold: 4, held: 1, updated_at: "b" },
  });
  expect(changedFields(change)).toEqual({ before: { price: 45 }, after: { price: 50 } });
  const created = entry({ new_values: { id: "7", name: "GA", version: 1 } });
  expect(changedFields(created)).toEqual({ before: null, after: { name: "GA" } });
});

it("cuts the preview at 100 and the view at 200 characters", () => {
  const long = entry({ new_values: { text: "x".repeat(500) } });
  expect(previewText(long)).toHaveLength(101);
  expect(viewText(long.new_values)).toHaveLength(201);
  expect(viewText(null)).toBe("None");
});
