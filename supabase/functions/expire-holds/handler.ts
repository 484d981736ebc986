// Ends holds that have expired. It asks the provider before it cancels an order: a buyer who has paid gets the tickets, a payment
// under way gets more time, and every other intent is cancelled first, so that nobody pays for a cancelled order. Then the waitlist
// moves: expired places end, and returned stock is offered to the next in line.
import type { DueHold } from "../_shared/answers.ts";
import { concurrently } from "../_shared/concurrently.ts";
import { confirmOrder } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { closeIntent, intentIdOf, intentNow } from "../_shared/payment-provider.ts";

type Outcome = "confirmed" | "expirable" | "postponed" | "failed";

const BATCH = 50;
const MOST_BATCHES = 20;
const LANES = 4;
const PAYMENT_UNDER_WAY_SECONDS = 120;
/** Keeps an order whose provider call fails from blocking the ones behind it. */
const AFTER_FAILURE_SECONDS = 60;

export const handler = serviceFunction(async (_request, deps) => {
  const total = { expired: 0, confirmed: 0, postponed: 0, failed: 0, offered: 0 };
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const due = await deps.sql("due_holds", { p_limit: BATCH });
    const outcomes = await concurrently(due, LANES, (hold) => settle(deps, hold));
    const expirable = due.filter((_, index) => outcomes[index] === "expirable").map((hold) => hold.order_id);
    if (expirable.length > 0) {
      total.expired += await deps.sql("expire_holds", { p_order_ids: expirable });
    }
    for (const outcome of outcomes) if (outcome !== "expirable") total[outcome] += 1;
    if (due.length < BATCH) break;
  }
  total.offered = await deps.sql("offer_places", {});
  if (total.offered > 0) deps.outboxFilled();
  return total;
});

async function settle(deps: FunctionDeps, hold: DueHold): Promise<Outcome> {
  try {
    return await settleWithProvider(deps, hold);
  } catch (error) {
    deps.log.error({ err: error, orderId: hold.order_id }, "hold could not be settled");
    await postpone(deps, hold, AFTER_FAILURE_SECONDS).catch((failure: unknown) =>
      deps.log.error({ err: failure, orderId: hold.order_id }, "hold could not be postponed"),
    );
    return "failed";
  }
}

async function settleWithProvider(deps: FunctionDeps, hold: DueHold): Promise<Outcome> {
  const { order_id: orderId, total_cents: totalCents } = hold;
  if (totalCents === 0) return "expirable";
  const stripe = await deps.stripe();
  const intentId = hold.payment_intent_id ?? (await intentIdOf(stripe, { orderId, totalCents }));
  if (intentId === undefined) return "expirable";
  const intent = await closeIntent(stripe, await intentNow(stripe, intentId));
  if (intent.status === "canceled") return "expirable";
  if (intent.status === "succeeded") {
    const { status } = await confirmOrder(deps, intent);
    // If it was paid in another currency, the order is still pending and its hold is over.
    return status === "refund_queued" ? "expirable" : "confirmed";
  }
  await postpone(deps, hold, PAYMENT_UNDER_WAY_SECONDS);
  return "postponed";
}

function postpone(deps: FunctionDeps, hold: DueHold, seconds: number): Promise<void> {
  return deps.sql("postpone_hold", { p_order_id: hold.order_id, p_seconds: seconds });
}
