// What checkout asks the server. An answer in another shape than expected is an error.
import { callFunction } from "#lib/api/functions.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import type { CreatePaymentIntent } from "contract/schemas";
import { readWaitingRoomAnswer, type WaitingRoomAnswer } from "contract/waiting-room";

export type OrderRequest = Omit<CreatePaymentIntent, "idempotencyKey">;

/** A visitor's place in the waiting room; without `place` until the first answer. */
export interface VisitorPlace {
  visitor: string;
  place?: string;
}

export interface PlacedOrder {
  clientSecret: string;
  orderId: string;
  /** ISO time. */
  holdExpiresAt: string;
  orderStatus: "pending" | "confirmed" | "completed";
}

/** @throws FunctionError with the server's reason, or Error */
export async function placeOrder(
  request: OrderRequest,
  shown: Partial<VisitorPlace>,
  idempotencyKey: string,
): Promise<PlacedOrder> {
  const answer = await callFunction<PlacedOrder>(
    "create-payment-intent",
    { ...request, ...shown },
    { "Idempotency-Key": idempotencyKey },
  );
  const { clientSecret, orderId, holdExpiresAt, orderStatus } = answer;
  if (
    !clientSecret ||
    typeof orderId !== "string" ||
    typeof holdExpiresAt !== "string" ||
    !orderStatus ||
    !["pending", "confirmed", "completed"].includes(orderStatus)
  ) {
    throw new Error("Unable to initialize payment");
  }
  return { clientSecret, orderId, holdExpiresAt, orderStatus };
}

/** @throws Error when payments are not configured */
export async function paymentConfig(): Promise<{ publishableKey: string; sandbox: boolean }> {
  const { publishableKey, sandbox } = await callFunction<{ publishableKey: string; sandbox: boolean }>(
    "payment-config",
  );
  if (!publishableKey || typeof sandbox !== "boolean") {
    throw new Error("Payment configuration is not available");
  }
  return { publishableKey, sandbox };
}

/** `reason`: why the payment bought nothing and goes back. */
export type ProcessedPayment = { status: "confirmed" } | { status: "refund_queued"; reason?: string };

/** Has the server confirm a paid order. @throws FunctionError with the server's reason, or Error */
export async function processPayment(paymentIntentId: string): Promise<ProcessedPayment> {
  const { success, status, reason } = await callFunction<{
    success: boolean;
    status: string;
    reason: string | null;
  }>("process-payment", { paymentIntentId });
  if (status === "refund_queued") return { status, ...(typeof reason === "string" && { reason }) };
  if (success !== true) throw new Error(`The order was not processed (${status ?? "no status"})`);
  return { status: "confirmed" };
}

/** @throws FunctionError with the server's reason, or Error */
export async function visit(shown: Partial<VisitorPlace>): Promise<WaitingRoomAnswer> {
  const answer = readWaitingRoomAnswer(await callFunction("waiting-room", { ...shown }));
  if (!answer) throw new Error("The answer is not a place in the waiting room");
  return answer;
}

/** Resolves to whether stock went back on sale. Does nothing once another user is signed in. */
export async function releaseOrder(userId: string, orderId: string): Promise<boolean> {
  const supabase = await getSupabase();
  const { data: who } = await supabase.auth.getSession();
  if (who.session?.user.id !== userId) return false;
  const { data, error } = await supabase.rpc("release_hold", { p_order_id: orderId });
  if (error) throw error;
  if (typeof data !== "boolean") throw new Error("The answer is not whether the hold was released");
  return data;
}
