// When stock is low. `get_system_health` (supabase/migrations/…000700_back_office.sql) uses the same quarter.

export type StockLabel = "Critical" | "Low" | "Good";

/** By the ratio of available to total (PRODUCT 9.6). */
export function stockLabel(available: number, total: number): StockLabel {
  if (total <= 0) return "Good"; // nothing is for sale, so no one needs to act
  if (available <= total * 0.1) return "Critical";
  return available <= total * 0.25 ? "Low" : "Good";
}
