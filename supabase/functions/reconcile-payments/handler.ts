// Compares the provider's books with ours and confirms payments that neither the browser nor a webhook reported, so that no
// paid order depends on a message getting through.
import type Stripe from "stripe";
import { concurrently } from "../_shared/concurrently.ts";
import { confirmOrder, orderIdOf } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { fromProvider } from "../_shared/payment-provider.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { rowsOf } from "../_shared/rpc.ts";

const LOOK_BACK_SECONDS = 6 * 60 * 60;
const PAGE = 100;
const MOST_PAGES = 50;
const LANES = 4;

export const handler = serviceFunction(async (_request, deps) => {
  const total = { looked_at: 0, confirmed: 0, failed: 0 };
  for await (const page of pagesOfIntents(deps)) {
    const paid = page.filter((intent) => intent.status === "succeeded" && orderIdOf(intent) !== undefined);
    const missed = await withoutPayment(deps, paid);
    const outcomes = await concurrently(missed, LANES, (intent) => confirm(deps, intent));
    total.looked_at += page.length;
    total.confirmed += outcomes.filter((confirmed) => confirmed).length;
    total.failed += outcomes.filter((confirmed) => !confirmed).length;
  }
  return total;
});

/** Newest first, and bounded: each run begins anew, and what is beyond 5,000 intents is left to browser and webhook. */
async function* pagesOfIntents(deps: FunctionDeps): AsyncGenerator<Stripe.PaymentIntent[]> {
  const stripe = await deps.stripe();
  const created = { gte: Math.floor(deps.now() / 1000) - LOOK_BACK_SECONDS };
  let startingAfter: string | undefined;
  for (let count = 0; count < MOST_PAGES; count++) {
    const page = await fromProvider(() =>
      stripe.paymentIntents.list({
        created,
        limit: PAGE,
        ...(startingAfter && { starting_after: startingAfter }),
      }),
    );
    yield page.data;
    startingAfter = page.data.at(-1)?.id;
    if (!page.has_more || startingAfter === undefined) return;
  }
}

/** Those that our books do not show as paid. A refunded payment counts as seen. */
async function withoutPayment(
  deps: FunctionDeps,
  paid: Stripe.PaymentIntent[],
): Promise<Stripe.PaymentIntent[]> {
  if (paid.length === 0) return [];
  const ids = paid.map((intent) => intent.id);
  const known = await rowsOf<{ payment_intent_id: string }[]>(
    "payments",
    deps.supabase
      .from("payments")
      .select("payment_intent_id")
      .in("payment_intent_id", ids)
      .neq("status", "failed"),
  );
  const seen = new Set(known.map((payment) => payment.payment_intent_id));
  return paid.filter((intent) => !seen.has(intent.id));
}

async function confirm(deps: FunctionDeps, intent: Stripe.PaymentIntent): Promise<boolean> {
  try {
    const { status } = await confirmOrder(deps, intent);
    if (status !== "not_found")
      deps.log.warn({ paymentIntentId: intent.id, status }, "payment found by reconciling");
    return status !== "not_found";
  } catch (error) {
    deps.log.error({ err: error, paymentIntentId: intent.id }, "payment could not be reconciled");
    return false;
  }
}
