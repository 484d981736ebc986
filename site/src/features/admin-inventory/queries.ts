import { useQuery } from "@tanstack/react-query";
import { parseAnswer, read, type FailureReport } from "#lib/lists/back-office-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { z } from "zod";
import { parseInventory, type FieldChanges, type StockChanges, type StockRow } from "./model.ts";

export function useInventoryStatus() {
  return useQuery({
    queryKey: ["inventory-status"],
    queryFn: async () =>
      parseInventory(await read("inventory status", (supabase) => supabase.rpc("get_inventory_status"))),
    meta: { failedAs: "FETCH_ERROR_INVENTORY", table: "ticket_types" } satisfies FailureReport,
  });
}

const outcome = z.union([
  z.object({ outcome: z.enum(["saved", "conflict"]) }),
  z.object({ outcome: z.literal("asks"), question: z.string() }),
]);
export type EditOutcome = z.infer<typeof outcome>;

interface EditOptions {
  /** Refuse the change when someone else has edited the row since it was read. */
  asSeen: boolean;
  /** The administrator has confirmed the consequences. */
  sure?: boolean;
}

/** @throws Error naming the broken bound */
export async function editInventory(
  { id, version }: StockRow,
  { fields, available, total }: StockChanges,
  { asSeen, sure = false }: EditOptions,
): Promise<EditOutcome> {
  const data = await ask((supabase) =>
    supabase.rpc("edit_inventory", {
      p_id: id,
      p_changes: { ...fields },
      p_add_available: available,
      p_add_total: total,
      ...(asSeen && { p_version: version }),
      p_sure: sure,
    }),
  );
  return outcome.parse(data);
}

export interface NewItem extends Required<Pick<FieldChanges, "name" | "price" | "is_hidden">> {
  description: string;
  units: number;
}

/** @throws Error naming the broken bound */
export async function createItem(
  kind: string,
  { name, description, price, is_hidden, units }: NewItem,
): Promise<void> {
  const stock = { current_inventory: units, total_inventory: units };
  await ask((supabase) =>
    supabase.from("products").insert({ kind, name, description, price, is_hidden, ...stock }),
  );
}

const SHOP_FIELDS =
  "on_sale, sale_opens_at, sale_closes_at, vip_includes_parking, fee_name, fee_percent, fee_per_ticket, fee_per_order, fee_is_refunded, fee_in_prices";

const shopSale = z.object({
  on_sale: z.boolean(),
  sale_opens_at: z.string().nullable(),
  sale_closes_at: z.string().nullable(),
  vip_includes_parking: z.boolean(),
  fee_name: z.string(),
  fee_percent: z.number(),
  fee_per_ticket: z.number(),
  fee_per_order: z.number(),
  fee_is_refunded: z.boolean(),
  fee_in_prices: z.boolean(),
});
export type ShopSale = z.infer<typeof shopSale>;

export function useShopSale() {
  return useQuery({
    queryKey: ["shop-sale"],
    queryFn: async () =>
      parseAnswer(
        "shop settings",
        shopSale,
        await read("shop settings", (supabase) =>
          supabase.from("shop_settings").select(SHOP_FIELDS).single(),
        ),
      ),
  });
}

/** Fees collected from paid orders, separate from revenue. Undefined while unknown. */
export function useFeesCollected(): number | undefined {
  return useQuery({
    queryKey: ["shop-sale", "fees"],
    queryFn: async () =>
      parseAnswer(
        "fees",
        z.object({ total_fees: z.number() }),
        await read("fees", (supabase) => supabase.rpc("get_sales_overview")),
      ).total_fees,
  }).data;
}

/** Sends nothing where nothing changes. @throws Error with the database's message */
export async function changeShopSale(change: Partial<ShopSale>): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await ask((supabase) => supabase.from("shop_settings").update(change).eq("only_row", true));
}
