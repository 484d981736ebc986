// Does the work that transactions have written to the outbox: mails, refunds, intents to close. Work that fails goes back with
// its reason, and SQL decides when it is retried.
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";
import { type OutboxEntry, perform } from "./work.ts";

const BATCH = 20;
const MOST_BATCHES = 50;
const AT_ONCE = 4;

const LANES = ["money", "mail"];

/** `?lane=money` or `?lane=mail` drains that lane alone; without it, both are drained side by side. */
export const handler = serviceFunction(async (request, deps) => {
  const totals = await Promise.all(lanesOf(request).map((lane) => drain(deps, lane)));
  return {
    done: totals.reduce((sum, { done }) => sum + done, 0),
    failed: totals.reduce((sum, { failed }) => sum + failed, 0),
  };
});

function lanesOf(request: Request): string[] {
  const lane = new URL(request.url).searchParams.get("lane");
  if (lane === null) return LANES;
  if (LANES.includes(lane)) return [lane];
  throw new FunctionError("invalid_request", `The outbox has the lanes ${LANES.join(" and ")}.`);
}

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
    // If this fails as well, the claim's lease runs out and the work is retried anyway.
    await rpc(deps.supabase, "fail_outbox", { p_id: entry.id, p_error: reasonOf(error) }).catch(
      (failure: unknown) =>
        deps.log.error({ err: failure, outboxId: entry.id }, "outbox failure not recorded"),
    );
    return false;
  }
}

/** Shown in the back office, so it names the cause too. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
