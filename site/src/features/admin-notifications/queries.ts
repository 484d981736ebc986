// The sources of notifications: tables whose new rows are announced, and the current stock.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
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

type Row = Record<string, unknown>;

export interface Source {
  table: "orders" | "audit_logs" | "vendor_applications";
  type: Notification["type"];
  notify: (row: Row) => Notification | undefined;
  /** At most `most` rows from `since` on, newest first. */
  read: (supabase: Supabase, since: string, most: number) => PromiseLike<Answer<Row>>;
}

interface Answer<T> {
  data: T[] | null;
  error: { message: string } | null;
}

const newest = { ascending: false } as const;

export const sources: readonly Source[] = [
  {
    table: "orders",
    type: "new_order",
    notify: (row) => orderNotification(row as Parameters<typeof orderNotification>[0]),
    read: (supabase, since, most) =>
      supabase
        .from("orders")
        .select("id, buyer_full_name, total_amount, created_at")
        .gte("created_at", since)
        .order("created_at", newest)
        .limit(most),
  },
  {
    table: "audit_logs",
    type: "system_alert",
    notify: (row) => alertNotification(row as Parameters<typeof alertNotification>[0]),
    read: (supabase, since, most) =>
      supabase
        .from("audit_logs")
        .select("id, action_type, table_name, created_at")
        .eq("kind", "Errors")
        .gte("created_at", since)
        .order("created_at", newest)
        .limit(most),
  },
  {
    table: "vendor_applications",
    type: "vendor_application",
    notify: (row) => vendorNotification(row as Parameters<typeof vendorNotification>[0]),
    read: (supabase, since, most) =>
      supabase
        .from("vendor_applications")
        .select("id, booth_name, submission_date")
        .gte("submission_date", since)
        .order("submission_date", newest)
        .limit(most),
  },
];

const MARKS_EVERY_MS = 3000;

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
      return rowsOf(await supabase.from("orders").select("id, status").in("id", ids));
    },
  });
  return new Map(
    (data ?? []).flatMap(({ id, status }) => (orderMarks[status] ? [[id, orderMarks[status]]] : [])),
  );
}

/** Tickets and parking, with the time of the last change. */
export async function readStock(supabase: Supabase): Promise<(StockLevel & { updated_at: string })[]> {
  const levels = "current_inventory, total_inventory, is_hidden, updated_at";
  const [tickets, parking] = await Promise.all([
    supabase.from("ticket_types").select(`id, name, ${levels}`),
    supabase.from("parking_passes").select(`id, name:type_name, ${levels}`),
  ]);
  return [...rowsOf(tickets), ...rowsOf(parking)];
}

/** @throws Error with the server's message */
export function rowsOf<T>({ data, error }: Answer<T>): T[] {
  if (error) throw new Error(refusalWords(error));
  return data ?? [];
}
