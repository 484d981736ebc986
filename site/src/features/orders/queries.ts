import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { callFunction } from "#lib/api/functions.ts";
import { readAnswer, rowsWith, rowWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { isOrderId, type Order } from "./model.ts";

/** Orders per page. */
const PAGE = 50;

const columns =
  "*, order_items(*), refunds(id, reason, amount, status, payment_intent_id, retry_of, superseded)";
const fields = ["id", "status", "created_at", "total_amount", "order_items", "refunds"] as const;

/**
 * The user's own orders with their items, newest first. Each page starts after the last order of the previous one.
 */
export function useOrders(userId: string) {
  return useInfiniteQuery({
    queryKey: ["orders", userId],
    initialPageParam: undefined as Order | undefined,
    getNextPageParam: (last: Order[]) => (last.length < PAGE ? undefined : last.at(-1)),
    queryFn: async ({ pageParam: after }): Promise<Order[]> => {
      const supabase = await getSupabase();
      const own = supabase.from("orders").select(columns).eq("user_id", userId);
      const at = `"${after?.created_at}"`;
      const page = after ? own.or(`created_at.lt.${at},and(created_at.eq.${at},id.gt.${after.id})`) : own;
      const answer = await page.order("created_at", { ascending: false }).order("id").limit(PAGE);
      return readAnswer("load orders", answer, rowsWith<Order>(...fields));
    },
  });
}

/** Confirming a paid order may take a moment: while it is pending, it is refetched this often. */
const PENDING_REFRESH_MS = 3000;

/** One order of the user; null when there is none with this id. */
export function useOrder(userId: string, orderId: string) {
  return useQuery({
    queryKey: ["orders", userId, orderId],
    queryFn: async (): Promise<Order | null> => {
      if (!isOrderId(orderId)) return null;
      const supabase = await getSupabase();
      const query = supabase.from("orders").select(columns).eq("user_id", userId).eq("id", orderId);
      return readAnswer("load orders", await query.maybeSingle(), rowWith<Order>(...fields));
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
