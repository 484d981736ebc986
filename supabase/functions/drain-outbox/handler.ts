// Does the work that SQL wrote down in the transactions that made it necessary: mails, refunds, intents to close. A piece of
// work that fails goes back with its reason, and SQL decides when it is tried again.
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";
import { type OutboxEntry, perform } from "./work.ts";

const BATCH = 20;
const MOST_BATCHES = 50;
const AT_ONCE = 4;

/** `?lane=money` or `?lane=mail` does that lane's work alone; without, each lane's beside the other's. */
export const handler = serviceFunction(async (request, deps) => {
  const lane = new URL(request.url).searchParams.get("lane");
  const lanes = lane === null ? ["money", "mail"] : [lane];
  const totals = await Promise.all(lanes.map((name) => drain(deps, name)));
  return {
    done: totals.reduce((sum, { done }) => sum + done, 0),
    failed: totals.reduce((sum, { failed }) => sum + failed, 0),
  };
});

async function drain(deps: FunctionDeps, lane: string): Promise<{ done: number; failed: number }> {
  const total = { done: 0, failed: 0 };
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const entries = await rpc<OutboxEntry[]>(deps.supabase, "claim_outbox", {
      p_limit: BATCH,
      p_lane: lane,
    });
    const outcomes = await concurrently(entries, AT_ONCE, (entry) => settle(deps, entry));
    total.done += outcomes.filter((done) => done).length;
    total.failed += outcomes.filter((done) => !done).length;
    if (entries.length < BATCH) break;
  }
  return total;
}

async function settle(deps: FunctionDeps, entry: OutboxEntry): Promise<boolean> {
  try {
    await perform(deps, entry);
    await rpc(deps.supabase, "complete_outbox", { p_id: entry.id });
    return true;
  } catch (error) {
    deps.log.error(
      { err: error, outboxId: entry.id, kind: entry.kind, attempts: entry.attempts },
      "outbox work failed",
    );
    // If this fails as well, the lease of the claim runs out and the work is tried again all the same.
    await rpc(deps.supabase, "fail_outbox", { p_id: entry.id, p_error: reasonOf(error) }).catch(
      (failure: unknown) =>
        deps.log.error({ err: failure, outboxId: entry.id }, "outbox failure not recorded"),
    );
    return false;
  }
}

/** The back office shows it, so the cause is named as well. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
