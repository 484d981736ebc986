import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read, type FailureReport } from "#lib/lists/back-office-reads.ts";
import { startArgs, type PageStart } from "#lib/lists/list-pages.ts";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";
import type { Database } from "contract/database";
import { ORDERS_PAGE, parseOrderPage, type OrderCase, type OrderFilter } from "./model.ts";

/** One page of orders; `start` is where the page before it ended. */
export function useOrders({ status, search }: OrderFilter, start: PageStart | undefined) {
  const params = {
    page_size: ORDERS_PAGE,
    page_offset: 0,
    order_status: status ?? null,
    ...(search && { p_search: search }),
  };
  return useQuery({
    queryKey: ["admin-orders", params, start],
    queryFn: async () =>
      parseOrderPage(
        await read("orders", (supabase) =>
          supabase.rpc("get_recent_orders", {
            ...params,
            ...startArgs(start),
          } as Database["public"]["Functions"]["get_recent_orders"]["Args"]),
        ),
      ),
    placeholderData: keepPreviousData,
    meta: { failedAs: "FETCH_ERROR_ORDERS", table: "orders", params } satisfies FailureReport,
  });
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Payments, refunds, mails and scans tell nobody that they happened; an open order is to be true all the same. */
const ORDER_EVERY_MS = 3000;

/** One order with everything that belongs to it; null when there is none. */
export function useOrderCase(id: string) {
  return useQuery({
    queryKey: ["admin-order", id],
    refetchInterval: ({ state }) => (state.data === null ? false : ORDER_EVERY_MS),
    queryFn: async () => {
      if (!uuid.test(id)) return null;
      const supabase = await getSupabase();
      const [order, audit, outbox] = await Promise.all([
        supabase
          .from("orders")
          .select("*, order_items(*), tickets(*), payments(*), refunds(*)")
          .eq("id", id)
          .maybeSingle()
          .overrideTypes<OrderCase, { merge: false }>(),
        supabase.from("audit_logs").select("*").eq("table_name", "orders").eq("record_id", id),
        supabase.from("outbox").select("*").eq("payload->>order_id", id),
      ]);
      const failure = order.error ?? audit.error ?? outbox.error;
      if (failure) throw new Error(`Failed to fetch orders: ${failure.message}`);
      return order.data && { order: order.data, audit: audit.data ?? [], outbox: outbox.data ?? [] };
    },
  });
}

interface OrderAct {
  run: (supabase: Supabase, orderId: string) => PromiseLike<{ error: { message: string } | null }>;
  success: string;
  failure: string;
}

export const resendMail: OrderAct = {
  run: (supabase, id) => supabase.rpc("resend_order_mail", { p_order_id: id }),
  success: "The order mail is on its way again",
  failure: "Failed to resend the order mail",
};
export const cancelOrder: OrderAct = {
  run: (supabase, id) => supabase.rpc("cancel_order", { p_order_id: id }),
  success: "Order cancelled successfully",
  failure: "Failed to cancel the order",
};
/** Without tickets and parking the whole order goes back. */
export function refund(chosen?: { tickets: string[]; parking: string[] }): OrderAct {
  return {
    run: (supabase, id) =>
      supabase.rpc("refund_order", {
        p_order_id: id,
        ...(chosen && { p_ticket_ids: chosen.tickets, p_parking_item_ids: chosen.parking }),
      }),
    success: "Refund started successfully",
    failure: "Failed to refund the order",
  };
}

export function retryRefund(refundId: string): OrderAct {
  return {
    run: (supabase) => supabase.rpc("retry_refund", { p_refund_id: refundId }),
    success: "Refund started again",
    failure: "Failed to refund again",
  };
}

export function useOrderAct(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (act: OrderAct) => {
      const { error } = await act.run(await getSupabase(), orderId);
      if (error) throw new Error(error.message);
    },
    onSuccess: (_nothing, act) => toast.success(act.success),
    onError: (error, act) => toast.error(act.failure, error.message),
    onSettled: () =>
      Promise.all(
        ["admin-order", "admin-orders", "sales-overview", "inventory-status"].map((key) =>
          queryClient.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
}
