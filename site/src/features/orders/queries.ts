import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { logError } from "#lib/browser/error-log.ts";
import { callFunction } from "#lib/api/functions.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { isOrderId, type Order } from "./model.ts";

/** So many orders are read at once. */
const PAGE = 50;

/** The user's own orders with their items, newest first, a page at a time: each starts after the last order before it. */
export function useOrders(userId: string) {
  return useInfiniteQuery({
    queryKey: ["orders", userId],
    initialPageParam: undefined as Order | undefined,
    getNextPageParam: (last: Order[]) => (last.length < PAGE ? undefined : last.at(-1)),
    queryFn: async ({ pageParam: after }): Promise<Order[]> => {
      const supabase = await getSupabase();
      const own = supabase.from("orders").select("*, order_items(*), refunds(reason)").eq("user_id", userId);
      const at = `"${after?.created_at}"`;
      const page = after ? own.or(`created_at.lt.${at},and(created_at.eq.${at},id.gt.${after.id})`) : own;
      const { data, error } = await page.order("created_at", { ascending: false }).order("id").limit(PAGE);
      if (error) throw loadFailure(error);
      return data;
    },
  });
}

/** A paid order may take a moment until it is confirmed: asked for again so often while it is pending. */
const PENDING_REFRESH_MS = 3000;

/** One order of the user; null when there is none with this id. */
export function useOrder(userId: string, orderId: string) {
  return useQuery({
    queryKey: ["orders", userId, orderId],
    queryFn: async (): Promise<Order | null> => {
      if (!isOrderId(orderId)) return null;
      const supabase = await getSupabase();
      const { data, error } = await supabase
        .from("orders")
        .select("*, order_items(*), refunds(reason)")
        .eq("user_id", userId)
        .eq("id", orderId)
        .maybeSingle();
      if (error) throw loadFailure(error);
      return data;
    },
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? PENDING_REFRESH_MS : false),
  });
}

export interface VerifiedPayment {
  orderId: string;
  qrCodesGenerated: number;
}

/** @throws Error when the payment could not be verified */
export async function verifyPayment(sessionId: string): Promise<VerifiedPayment> {
  const answer = await callFunction<{
    success: boolean;
    orderId: string;
    stats: { qrCodesGenerated: number };
  }>("verify-payment", { sessionId });
  if (answer.success !== true || typeof answer.orderId !== "string")
    throw new Error("The payment is not verified");
  return { orderId: answer.orderId, qrCodesGenerated: answer.stats?.qrCodesGenerated ?? 0 };
}

function loadFailure(error: { message: string }): Error {
  logError("load orders", error.message);
  return new Error(error.message);
}
