// The sources of notifications: tables whose new rows are announced, and the current stock.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import {
  alertNotification,
  orderMarks,
  orderNotification,
  orderOf,
  vendorNotification,
  type Notification,
  type StockLevel,
} from "./model.ts";

export interface Source {
  table: "orders" | "audit_logs" | "vendor_applications";
  type: Notification["type"];
  /** Those of a row that `notify` reads. */
  columns: readonly string[];
  /** @throws Error for a row of another shape */
  notify: (row: unknown) => Notification | undefined;
  /** At most `most` of them, from `since` on, newest first. */
  read: (supabase: Supabase, since: string, most: number) => Promise<Notification[]>;
}

interface Answer {
  data: unknown;
  error: { message: string } | null;
}

const newest = { ascending: false } as const;

function sourceOf<Row>(
  { table, type }: Pick<Source, "table" | "type">,
  row: z.ZodType<Row> & { shape: object },
  notification: (row: Row) => Notification | undefined,
  ask: (supabase: Supabase, since: string, most: number) => PromiseLike<Answer>,
): Source {
  return {
    table,
    type,
    columns: Object.keys(row.shape),
    notify: (change) => notification(parseAnswer(table, row, change)),
    read: async (supabase, since, most) =>
      rowsOf(table, row, await ask(supabase, since, most))
        .map(notification)
        .filter((one) => one !== undefined),
  };
}

export const sources: readonly Source[] = [
  sourceOf(
    { table: "orders", type: "new_order" },
    z.object({
      id: z.string(),
      buyer_full_name: z.string(),
      total_amount: z.number(),
      created_at: z.string(),
      channel: z.string(),
    }),
    // Comps are issued here, up to 200 at once: they would push sales out of the list.
    (order) => (order.channel === "comp" ? undefined : orderNotification(order)),
    (supabase, since, most) =>
      supabase
        .from("orders")
        .select("id, buyer_full_name, total_amount, created_at, channel")
        .neq("channel", "comp")
        .gte("created_at", since)
        .order("created_at", newest)
        .limit(most),
  ),
  sourceOf(
    { table: "audit_logs", type: "system_alert" },
    z.object({
      id: z.string(),
      action_type: z.string(),
      table_name: z.string().nullable(),
      created_at: z.string(),
    }),
    alertNotification,
    (supabase, since, most) =>
      supabase
        .from("audit_logs")
        .select("id, action_type, table_name, created_at")
        .eq("kind", "Errors")
        .gte("created_at", since)
        .order("created_at", newest)
        .limit(most),
  ),
  sourceOf(
    { table: "vendor_applications", type: "vendor_application" },
    z.object({ id: z.string(), booth_name: z.string(), submission_date: z.string() }),
    vendorNotification,
    (supabase, since, most) =>
      supabase
        .from("vendor_applications")
        .select("id, booth_name, submission_date")
        .gte("submission_date", since)
        .order("submission_date", newest)
        .limit(most),
  ),
];

const MARKS_EVERY_MS = 3000;

const markedOrder = z.object({ id: z.string(), status: z.string() });

/** Marks by order, kept current while the list is open. A list without them is complete, so a failed read shows none. */
export function useOrderMarks(
  listed: readonly Notification[],
  enabled: boolean,
): ReadonlyMap<string, string> {
  const ids = listed.map(orderOf).filter((id) => id !== undefined);
  const { data } = useQuery({
    queryKey: ["notified-orders", ids],
    enabled: enabled && ids.length > 0,
    refetchInterval: MARKS_EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const supabase = await getSupabase();
      return rowsOf("orders", markedOrder, await supabase.from("orders").select("id, status").in("id", ids));
    },
  });
  return new Map(
    (data ?? []).flatMap(({ id, status }) => (orderMarks[status] ? [[id, orderMarks[status]]] : [])),
  );
}

const stockLevel = z.object({
  id: z.string(),
  name: z.string(),
  current_inventory: z.number(),
  total_inventory: z.number(),
  is_hidden: z.boolean(),
});
export const stockColumns = Object.keys(stockLevel.shape);
const readLevel = stockLevel.extend({ updated_at: z.string() });

/** Of a changed row. @throws Error for a row of another shape */
export const levelOf = (row: Record<string, unknown>): StockLevel => parseAnswer("stock", stockLevel, row);

/** Of all products, with the time of the last change. */
export async function readStock(supabase: Supabase): Promise<(StockLevel & { updated_at: string })[]> {
  const levels = "id, name, current_inventory, total_inventory, is_hidden, updated_at";
  return rowsOf("stock", readLevel, await supabase.from("products").select(levels));
}

/** @throws Error with the server's message, or for rows of another shape */
function rowsOf<Row>(what: string, row: z.ZodType<Row>, { data, error }: Answer): Row[] {
  if (error) throw new Error(refusalWords(error));
  return parseAnswer(what, z.array(row), data);
}
