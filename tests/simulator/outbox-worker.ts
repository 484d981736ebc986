// The server working on the outbox: it claims what is due, calls the provider, and records the result.
import type { Work } from "./lanes.ts";
import { confirm } from "./payments.ts";
import { type Provider, providersId } from "./provider.ts";
import type { Random } from "./random.ts";
import { statement } from "./statement.ts";

interface OutboxEntry {
  readonly id: string;
  readonly kind: string;
  readonly payload: { order_id?: string; refund_id?: string; cents?: number; total_cents?: number };
}

/** A refund that the provider refused was never made there, and has no provider id. */
const markRefund = (id: string, status: string, then?: () => void): Work => ({
  name: `mark refund ${status}`,
  statements: [
    statement(
      "select public.mark_refund($1, $2, $3)",
      id,
      status === "refused" ? null : providersId(id),
      status === "refused" ? "failed" : status,
    ),
  ],
  ...(then && { done: then }),
});
const complete = (id: string): Work => ({
  name: "complete outbox",
  statements: [statement("select public.complete_outbox(array[$1::bigint])", id)],
});
const failEntry = (id: string): Work => ({
  name: "fail outbox",
  statements: [statement("select public.fail_outbox($1, 'the provider did not answer')", id)],
});

/** `errands` is where the claimed entries wait. */
export function createOutboxWorker(random: Random, provider: Provider, errands: (() => Work)[]) {
  const claim = (): Work => ({
    name: "claim outbox",
    statements: [statement("select id, kind, payload from public.claim_outbox(100) order by 1")],
    done(rows: OutboxEntry[]) {
      for (const entry of rows) errands.push(() => perform(entry));
    },
  });

  function perform({ id, kind, payload }: OutboxEntry): Work {
    const then = () => errands.push(() => complete(id));
    if (kind === "cancel_intent") {
      const intent = provider.intentFor(payload.order_id!, payload.total_cents!);
      return provider.close(intent) === "succeeded" ? confirm(intent, then) : complete(id);
    }
    if (kind !== "refund") return complete(id);
    if (random.chance(0.15)) return failEntry(id);
    const refundId = payload.refund_id!;
    const intent = provider.intentFor(payload.order_id!, payload.cents!);
    if (random.chance(0.15)) provider.refuse(intent, refundId);
    const outcome = provider.refund(intent, refundId, payload.cents!);
    if (outcome !== "succeeded") return markRefund(refundId, outcome, then);
    if (random.chance(0.05))
      errands.push(() => {
        provider.sendBack(intent, refundId);
        return markRefund(refundId, "failed");
      });
    // The provider sends its own events as well, now or later, in any order.
    for (const status of ["pending", "succeeded"])
      if (random.chance(0.4)) errands.push(() => markRefund(refundId, status));
    return random.chance(0.1) ? failEntry(id) : markRefund(refundId, "succeeded", then);
  }

  return { claim };
}
