// The provider's side of cancelled orders and refunds. Each call is safe to repeat: the key names the work, not the attempt.
import type Stripe from "stripe";
import { confirmOrder } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import {
  closeIntent,
  fromProvider,
  intentIdOf,
  intentNow,
  isMissing,
  withKey,
} from "../_shared/payment-provider.ts";
import { markRefund } from "../_shared/payment-records.ts";

interface RefundWork {
  readonly refund_id: string;
  readonly payment_intent_id: string;
  readonly order_id: string;
  readonly cents: number;
}

/** The provider keeps a key for 24 hours. */
const KEY_IS_SAFE_MS = 23 * 3_600_000;

/** The answer to an earlier call may have been lost for longer than the provider keeps its key, so an old refund is looked up first. */
export async function refundPayment(deps: FunctionDeps, work: RefundWork): Promise<void> {
  const stripe = await deps.stripe();
  const made = (await isOld(deps, work)) ? await refundMade(stripe, work) : undefined;
  await markRefund(deps, work.refund_id, made ?? (await makeRefund(stripe, work)));
}

async function isOld(deps: FunctionDeps, { order_id, refund_id }: RefundWork): Promise<boolean> {
  const order = await deps.sql("read_order", { p_order_id: order_id });
  const refund = order?.refunds.find(({ id }) => id === refund_id);
  if (!refund) throw new Error(`order ${order_id} has no refund ${refund_id}`);
  return deps.now() - Date.parse(refund.created_at) > KEY_IS_SAFE_MS;
}

async function refundMade(stripe: Stripe, work: RefundWork): Promise<Stripe.Refund | undefined> {
  const { data } = await fromProvider(() =>
    stripe.refunds.list({ payment_intent: work.payment_intent_id, limit: 100 }),
  );
  return data.find(({ metadata }) => metadata?.refund_id === work.refund_id);
}

async function makeRefund(stripe: Stripe, work: RefundWork) {
  const refund = {
    payment_intent: work.payment_intent_id,
    amount: work.cents,
    metadata: { refund_id: work.refund_id, order_id: work.order_id },
  };
  try {
    return await withKey(
      `refund-${work.refund_id}`,
      async (keyed, isNext) =>
        (isNext ? await refundMade(stripe, work) : undefined) ??
        fromProvider(() => stripe.refunds.create(refund, keyed)),
    );
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { id: null, status: "failed", failure_reason: refusal };
  }
}

/**
 * Why the provider will never do what was requested; undefined when a retry may succeed. An unknown payment is not a refusal: the
 * shop may be configured with another account's keys until someone notices.
 */
function refusalOf(error: unknown): string | undefined {
  const cause = error instanceof FunctionError ? error.cause : undefined;
  if (!(cause instanceof Error) || !("type" in cause) || isMissing(error)) return undefined;
  return cause.type === "StripeInvalidRequestError" || cause.type === "StripeCardError"
    ? cause.message
    : undefined;
}

/** A cancelled order must not be payable. If it was already paid, it is handled like any late payment. */
export async function closeOrderIntent(
  deps: FunctionDeps,
  work: { order_id: string; payment_intent_id: string | null; total_cents: number },
): Promise<void> {
  const stripe = await deps.stripe();
  const order = { orderId: work.order_id, totalCents: work.total_cents };
  const intentId = work.payment_intent_id ?? (await intentIdOf(stripe, order));
  if (intentId === undefined) return;
  const intent = await closeIntent(stripe, await intentNow(stripe, intentId));
  if (intent.status === "canceled") return;
  if (intent.status !== "succeeded") throw new Error(`payment ${intent.id} is still ${intent.status}`);
  await confirmOrder(deps, intent);
}
