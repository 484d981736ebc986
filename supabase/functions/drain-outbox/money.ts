// The provider's side of cancelled orders and refunds. Each call is safe to repeat: the key names the work, not the attempt.
import type Stripe from "stripe";
import { confirmOrder } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import {
  closeIntent,
  fromProvider,
  intentFor,
  intentNow,
  providerCode,
} from "../_shared/payment-provider.ts";
import { markRefund } from "../_shared/payment-records.ts";

export async function refundPayment(
  deps: FunctionDeps,
  work: { refund_id: string; payment_intent_id: string; order_id: string; cents: number },
): Promise<void> {
  const stripe = await deps.stripe();
  const refund = await fromProvider(() =>
    stripe.refunds.create(
      {
        payment_intent: work.payment_intent_id,
        amount: work.cents,
        metadata: { refund_id: work.refund_id, order_id: work.order_id },
      },
      { idempotencyKey: `refund-${work.refund_id}` },
    ),
  ).catch((error: unknown): Pick<Stripe.Refund, "id" | "status"> | undefined => {
    // Somebody refunded the whole payment in the provider's dashboard.
    if (providerCode(error) === "charge_already_refunded") return undefined;
    throw error;
  });
  await markRefund(deps, work.refund_id, refund?.id ?? null, refund?.status ?? "succeeded");
}

/** A cancelled order must not be payable. If it was paid already, it is handled like every late payment. */
export async function closeOrderIntent(
  deps: FunctionDeps,
  work: { order_id: string; payment_intent_id: string | null; total_cents: number },
): Promise<void> {
  const stripe = await deps.stripe();
  const order = { orderId: work.order_id, totalCents: work.total_cents };
  const intentId = work.payment_intent_id ?? (await intentFor(stripe, order)).id;
  const intent = await closeIntent(stripe, await intentNow(stripe, intentId));
  if (intent.status === "canceled") return;
  if (intent.status !== "succeeded") throw new Error(`payment ${intent.id} is still ${intent.status}`);
  await confirmOrder(deps, intent);
}
