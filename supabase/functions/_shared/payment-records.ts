// Records failed payments, refunds and disputes as the provider reports them.
import type Stripe from "stripe";
import { z } from "zod";
import { confirmOrder, orderIdOf } from "./confirmation.ts";
import type { FunctionDeps } from "./deps.ts";
import { intentNow, isMissing } from "./payment-provider.ts";
import { rowsOf } from "./database.ts";

/** A declined card leaves the order payable; SQL decides what the failure means for it. */
export async function recordPaymentFailure(
  deps: FunctionDeps,
  { id: eventId, created, data: { object: intent } }: Stripe.PaymentIntentPaymentFailedEvent,
): Promise<void> {
  const orderId = orderIdOf(intent);
  if (orderId === undefined) return;
  const { code, decline_code: declineCode } = intent.last_payment_error ?? {};
  deps.log.warn({ orderId, paymentIntentId: intent.id, code, declineCode }, "a payment failed");
  const isOver = await deps.sql("fail_payment", {
    p_order_id: orderId,
    p_payment_intent_id: intent.id,
    p_message: intent.last_payment_error?.message ?? `Payment ${intent.status}`,
    p_event_id: eventId,
    p_declined_at: timeOf(created),
  });
  if (isOver) deps.outboxFilled();
}

/**
 * A refund without an id of ours was made in the provider's dashboard. One with an id that is not in our books is handled the same
 * way: it belongs to another shop on the same account, or is newer than the backup that our books were restored from.
 */
export async function recordRefund(
  deps: FunctionDeps,
  refund: Pick<
    Stripe.Refund,
    "id" | "status" | "metadata" | "amount" | "currency" | "payment_intent" | "failure_reason"
  >,
): Promise<void> {
  const refundId = refund.metadata?.refund_id;
  if (refundId !== undefined && (await isRefund(deps, refundId))) return markRefund(deps, refundId, refund);
  await recordProviderRefund(deps, refund, refundStatus(refund.status), "refunded_at_provider");
}

async function isRefund(deps: FunctionDeps, id: string): Promise<boolean> {
  if (!z.uuid().safeParse(id).success) return false;
  const found = await rowsOf("refund", deps.supabase.from("refunds").select("id").eq("id", id));
  return found.length > 0;
}

/** A dispute as the provider described it then, in seconds. */
export interface DisputeNews {
  readonly dispute: Stripe.Dispute;
  readonly at: number;
}

/** Stores what the provider says about the dispute, for the staff who must answer it in time. */
export async function noteDispute(deps: FunctionDeps, { dispute, at }: DisputeNews): Promise<void> {
  const intentId = idOf(dispute.payment_intent);
  if (intentId === undefined) return;
  const { evidence_details: evidence, created } = dispute;
  await deps.sql("note_dispute", {
    p_dispute_id: dispute.id,
    p_payment_intent_id: intentId,
    p_cents: dispute.amount,
    p_currency: dispute.currency ?? "usd",
    p_reason: dispute.reason ?? "general",
    p_status: dispute.status,
    p_evidence_due_by: evidence?.due_by ? timeOf(evidence.due_by) : null,
    p_opened_at: timeOf(created ?? at),
    p_reported_at: timeOf(at),
  });
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Opened and won disputes raise an alert; a lost one is recorded as a refund. */
export async function recordDispute(deps: FunctionDeps, news: DisputeNews): Promise<void> {
  const { dispute } = news;
  const intentId = idOf(dispute.payment_intent);
  if (intentId === undefined) return;
  await takePaymentUp(deps, intentId);
  await noteDispute(deps, news);
  if (dispute.status === "lost") return recordProviderRefund(deps, dispute, "succeeded", "dispute_lost");
  await deps.sql("record_dispute", {
    p_payment_intent_id: intentId,
    p_dispute_id: dispute.id,
    p_status: dispute.status === "won" ? "won" : "opened",
  });
  deps.outboxFilled();
}

async function recordProviderRefund(
  deps: FunctionDeps,
  given: Pick<Stripe.Refund, "id" | "amount" | "currency"> & {
    payment_intent: string | { id: string } | null;
  },
  status: "pending" | "succeeded" | "failed",
  reason: "refunded_at_provider" | "dispute_lost",
): Promise<void> {
  const intentId = idOf(given.payment_intent);
  if (intentId === undefined) return;
  await takePaymentUp(deps, intentId);
  await deps.sql("record_provider_refund", {
    p_payment_intent_id: intentId,
    p_provider_refund_id: given.id,
    p_cents: given.amount,
    p_status: status,
    p_reason: reason,
    p_currency: given.currency,
  });
  deps.outboxFilled();
}

/** Events arrive in any order: settle what a payment bought before its money goes back. */
async function takePaymentUp(deps: FunctionDeps, intentId: string): Promise<void> {
  if ((await deps.sql("paid_intents", { p_intent_ids: [intentId] })).length > 0) return;
  const intent = await intentNow(await deps.stripe(), intentId).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (intent?.status === "succeeded") await confirmOrder(deps, intent);
}

const idOf = (intent: string | { id: string } | null): string | undefined =>
  typeof intent === "string" ? intent : intent?.id;

/** Records the provider's outcome of one of our refunds; without an id, the provider never made it. */
export async function markRefund(
  deps: FunctionDeps,
  refundId: string,
  answer: { id: string | null; status: string | null; failure_reason?: string | undefined },
): Promise<void> {
  await deps.sql("mark_refund", {
    p_refund_id: refundId,
    p_provider_refund_id: answer.id,
    p_status: refundStatus(answer.status),
    p_failure: failureWords(answer.failure_reason),
  });
}

/** A code in words: "lost_or_stolen_card". A sentence stays as it is, with the IDs in it. */
const failureWords = (reason: string | undefined): string | null =>
  (/^[a-z_]+$/.test(reason ?? "") ? reason?.replaceAll("_", " ") : reason) ?? null;

/** The provider knows more states than the books need. */
function refundStatus(status: string | null): "pending" | "succeeded" | "failed" {
  if (status === "succeeded") return "succeeded";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}
