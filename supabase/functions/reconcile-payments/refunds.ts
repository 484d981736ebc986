// Asks the provider for refunds that have been pending for long. Their end is reported once (refund.updated, refund.failed); if that
// message was lost, the money would seem to be on its way for ever, and nobody could refund it again. The answer has the same
// consequences as the message.
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { fromProvider } from "../_shared/payment-provider.ts";
import { markRefund, recordRefund } from "../_shared/payment-records.ts";
import { rowsOf } from "../_shared/database.ts";

const ASK_AFTER_MS = 3_600_000;
/** Per run: the next run continues a minute later. */
const MOST = 25;
const LANES = 4;

/** Those that were asked for longest ago come first; each answer, also an unchanged one, puts its refund last. */
export async function askAfterRefunds(deps: FunctionDeps): Promise<void> {
  const overdue = await rowsOf<{ id: string; provider_refund_id: string }[]>(
    "refunds",
    deps.supabase
      .from("refunds")
      .select("id, provider_refund_id")
      .eq("status", "pending")
      .not("provider_refund_id", "is", null)
      .lt("updated_at", new Date(deps.now() - ASK_AFTER_MS).toISOString())
      .order("updated_at")
      .limit(MOST),
  );
  if (overdue.length === 0) return;
  const stripe = await deps.stripe();
  await concurrently(overdue, LANES, async ({ id, provider_refund_id: refundId }) => {
    try {
      await recordRefund(deps, await fromProvider(() => stripe.refunds.retrieve(refundId)));
    } catch (error) {
      deps.log.warn({ err: error, refundId }, "a pending refund could not be settled");
      await markRefund(deps, id, { id: refundId, status: "pending" });
    }
  });
}
