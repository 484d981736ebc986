import { useQuery } from "@tanstack/react-query";
import { read, type FailureReport } from "#lib/back-office-reads.ts";
import { getSupabase } from "#lib/supabase.ts";
import { parseInventory, type StockChanges, type StockRow } from "./model.ts";

export function useInventoryStatus() {
  return useQuery({
    queryKey: ["inventory-status"],
    queryFn: async () =>
      parseInventory(await read("inventory status", (supabase) => supabase.rpc("get_inventory_status"))),
    meta: { failedAs: "FETCH_ERROR_INVENTORY", table: "ticket_types" } satisfies FailureReport,
  });
}

/**
 * Writes the changes onto the row as it was seen. Sales move available without a new version, so that one is compared
 * by itself when it is edited. Returns false when the row is no longer what was seen; then nothing is written.
 * @throws Error with the bound that was broken
 */
export async function saveStock(seen: StockRow, changes: StockChanges): Promise<boolean> {
  const supabase = await getSupabase();
  const { name, ...figures } = changes;
  const same = {
    id: seen.id,
    version: seen.version,
    ...(changes.current_inventory !== undefined && { current_inventory: seen.current_inventory }),
  };
  const { data, error } =
    seen.kind === "ticket"
      ? await supabase
          .from("ticket_types")
          .update({ ...figures, ...(name !== undefined && { name }) })
          .match(same)
          .select("id")
      : await supabase
          .from("parking_passes")
          .update({ ...figures, ...(name !== undefined && { type_name: name }) })
          .match(same)
          .select("id");
  if (error) throw new Error(error.message);
  return data.length > 0;
}
