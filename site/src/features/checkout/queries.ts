// Checkout's calls to the server. A response in an unexpected shape is an error.
import { callFunction } from "#lib/api/functions.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import type { CreatePaymentIntent } from "contract/schemas";
import type { Cents } from "contract/shop/money";
import { readWaitingRoomAnswer, type WaitingRoomAnswer } from "contract/shop/waiting-room";

export type OrderRequest = Omit<CreatePaymentIntent, "idempotencyKey">;

/** A visitor's place in the waiting room; without `place` until the first response. */
export interface VisitorPlace {
  visitor: string;
  place?: string;
}

export interface PlacedOrder {
  /** Empty when there is nothing to pay. */
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
  const answer = await callFunction<Omit<PlacedOrder, "clientSecret"> & { clientSecret: string | null }>(
    "create-payment-intent",
    { ...request, ...shown },
    { "Idempotency-Key": idempotencyKey },
  );
  const { orderId, holdExpiresAt, orderStatus } = answer;
  const clientSecret = request.totalAmount === 0 ? "" : answer.clientSecret;
  if (
    (!clientSecret && request.totalAmount > 0) ||
    typeof clientSecret !== "string" ||
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

/** `reason`: why the payment bought nothing and is refunded. */
export type ProcessedPayment = { status: "confirmed" } | { status: "refund_queued"; reason?: string };

/**
 * Has the server confirm an order: a paid one by its payment, a free one by its own id.
 * @throws FunctionError with the server's reason, or Error
 */
export async function processPayment(
  paid: { paymentIntentId: string } | { orderId: string },
): Promise<ProcessedPayment> {
  const { success, status, reason } = await callFunction<{
    success: boolean;
    status: string;
    reason: string | null;
  }>("process-payment", paid);
  if (status === "refund_queued") return { status, ...(typeof reason === "string" && { reason }) };
  if (success !== true) throw new Error(`The order was not processed (${status ?? "no status"})`);
  return { status: "confirmed" };
}

/**
 * The discount of a promo code on these items, or the server's message why it does not apply.
 * @throws FunctionError with the server's reason, or Error
 */
export async function quotePromoCode(
  code: string,
  items: readonly { id: string; quantity: number }[],
): Promise<{ code: string; discount: Cents } | { refused: string }> {
  const answer = await callFunction<Record<string, unknown>>("quote-promo-code", { code, items });
  if (answer.ok === true && typeof answer.code === "string" && typeof answer.discount_cents === "number") {
    return { code: answer.code, discount: answer.discount_cents };
  }
  if (answer.ok === false && typeof answer.message === "string") return { refused: answer.message };
  throw new Error("The answer is not what a promo code takes off");
}

/** @throws FunctionError with the server's reason, or Error */
export async function visit(shown: Partial<VisitorPlace>): Promise<WaitingRoomAnswer> {
  const answer = readWaitingRoomAnswer(await callFunction("waiting-room", { ...shown }));
  if (!answer) throw new Error("The answer is not a place in the waiting room");
  return answer;
}

/** The signed-in user's id. @throws Error */
export async function signedInUser(): Promise<string | undefined> {
  const supabase = await getSupabase();
  const { data } = await supabase.auth.getSession();
  return data.session?.user.id;
}

/** Resolves to whether stock went back on sale. Does nothing once another user is signed in. */
export async function releaseOrder(userId: string, orderId: string): Promise<boolean> {
  if ((await signedInUser()) !== userId) return false;
  const supabase = await getSupabase();
  const { data, error } = await supabase.rpc("release_hold", { p_order_id: orderId });
  if (error) throw error;
  if (typeof data !== "boolean") throw new Error("The answer is not whether the hold was released");
  return data;
}
