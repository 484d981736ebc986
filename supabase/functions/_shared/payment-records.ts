// Keeps the books beside the orders: failed attempts and refunds as the provider reports them.
import type Stripe from "stripe";
import { orderIdOf } from "./confirmation.ts";
import type { FunctionDeps } from "./deps.ts";
import { rpc } from "./rpc.ts";

/** A declined card leaves the order payable; SQL decides what the failure means for it. */
export async function recordPaymentFailure(deps: FunctionDeps, intent: Stripe.PaymentIntent): Promise<void> {
  const orderId = orderIdOf(intent);
  if (orderId === undefined) return;
  await rpc(deps.supabase, "fail_payment", {
    p_order_id: orderId,
    p_payment_intent_id: intent.id,
    p_message: intent.last_payment_error?.message ?? `Payment ${intent.status}`,
  });
}

/** Refunds made in the provider's own back office carry no id of ours: those are left alone. */
export async function recordRefund(
  deps: FunctionDeps,
  refund: Pick<Stripe.Refund, "id" | "status" | "metadata">,
): Promise<void> {
  const refundId = refund.metadata?.refund_id;
  if (refundId === undefined || !/^[0-9a-f-]{36}$/i.test(refundId)) return;
  await markRefund(deps, refundId, refund.id, refund.status);
}

export async function markRefund(
  deps: FunctionDeps,
  refundId: string,
  providerRefundId: string | null,
  status: string | null,
): Promise<void> {
  await rpc(deps.supabase, "mark_refund", {
    p_refund_id: refundId,
    p_provider_refund_id: providerRefundId,
    p_status: refundStatus(status),
  });
}

/** The provider knows more states than the books need. */
function refundStatus(status: string | null): "pending" | "succeeded" | "failed" {
  if (status === "succeeded") return "succeeded";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}
