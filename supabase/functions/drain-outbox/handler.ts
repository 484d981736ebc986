// Does the work that transactions have written to the outbox: mails, refunds, intents to close. Work that fails goes back with
// its reason, and SQL decides when it is retried.
import { refusedAddress } from "contract/mail";
import type { FunctionDeps, OutboxLane } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";
import { type OutboxEntry, perform } from "./work.ts";

interface Lane {
  /** Claimed with one call, so that nothing waits behind slow work until its lease runs out. */
  readonly atOnce: number;
  readonly mostRounds: number;
}

/** Messages to thousands leave most of the connections to the mail server free, and a run of theirs ends soon. */
const LANES = {
  money: { atOnce: 4, mostRounds: 250 },
  mail: { atOnce: 4, mostRounds: 250 },
  bulk: { atOnce: 1, mostRounds: 5 },
} satisfies Record<OutboxLane, Lane>;
const LANE_NAMES = Object.keys(LANES) as OutboxLane[];
/** Orders that a refund run decides before their money is asked for: other refunds wait for no more than these. */
const RUN_AT_ONCE = 20;
/** A server that stops waits for a call under way. */
const RUN_ROUNDS = 5;

/** `?lane=money` drains that lane alone; without it, all are drained side by side. */
export const handler = serviceFunction(async (request, deps) => {
  const totals = await Promise.all(
    lanesOf(request).map((lane) => (lane === "money" ? drainMoney(deps) : drain(deps, lane))),
  );
  return {
    done: totals.reduce((sum, { done }) => sum + done, 0),
    failed: totals.reduce((sum, { failed }) => sum + failed, 0),
  };
});

function lanesOf(request: Request): OutboxLane[] {
  const lane = new URL(request.url).searchParams.get("lane");
  if (lane === null) return LANE_NAMES;
  const named = LANE_NAMES.find((name) => name === lane);
  if (named) return [named];
  throw new FunctionError("invalid_request", `The outbox has the lanes ${LANE_NAMES.join(", ")}.`);
}

/** Refund runs fill the lane a little at a time, as it empties. What is left of them then, the next call does. */
async function drainMoney(deps: FunctionDeps): Promise<{ done: number; failed: number }> {
  const total = { done: 0, failed: 0 };
  for (let round = 0; round < RUN_ROUNDS; round++) {
    let decided = 0;
    while (decided < RUN_AT_ONCE && (await advanceRun(deps))) decided++;
    const { done, failed } = await drain(deps, "money");
    total.done += done;
    total.failed += failed;
    if (decided === 0) return total;
  }
  deps.outboxFilled();
  return total;
}

/** False when there is nothing to do now. An order that fails holds up its run for some rounds, and nobody else's money. */
async function advanceRun(deps: FunctionDeps): Promise<boolean> {
  try {
    return await rpc<boolean>(deps.supabase, "advance_refund_run", {});
  } catch (error) {
    deps.log.error({ err: error }, "refund run did not go on");
    await rpc(deps.supabase, "refund_run_failed", { p_error: reasonOf(error) }).catch((failure: unknown) =>
      deps.log.error({ err: failure }, "failure of a refund run not recorded"),
    );
    return false;
  }
}

async function drain(deps: FunctionDeps, lane: OutboxLane): Promise<{ done: number; failed: number }> {
  const { atOnce, mostRounds } = LANES[lane];
  const total = { done: 0, failed: 0 };
  for (let round = 0; round < mostRounds; round++) {
    const entries = await rpc<OutboxEntry[]>(deps.supabase, "claim_outbox", {
      p_limit: atOnce,
      p_lane: lane,
    });
    const outcomes = await Promise.all(entries.map((entry) => settle(deps, entry)));
    total.done += outcomes.filter((done) => done).length;
    total.failed += outcomes.filter((done) => !done).length;
    if (entries.length < atOnce) return total;
  }
  // The next run follows at once: with the schedule's pause after every hundred, 5,000 mails took two minutes longer. Where work
  // failed, its server is spared until the schedule asks.
  if (total.failed === 0) deps.outboxFilled(lane);
  return total;
}

async function settle(deps: FunctionDeps, entry: OutboxEntry): Promise<boolean> {
  try {
    await perform(recordingRefusals(deps), entry);
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

/** Records an address that the mail server refuses, for the back office; the work fails or goes on as it would. */
function recordingRefusals(deps: FunctionDeps): FunctionDeps {
  return {
    ...deps,
    async sendMail(mail) {
      try {
        await deps.sendMail(mail);
      } catch (error) {
        const reason = refusedAddress(error);
        if (reason !== undefined) {
          await rpc(deps.supabase, "record_mail_bounce", { p_email: mail.to, p_reason: reason });
        }
        throw error;
      }
    },
  };
}

/** Shown in the back office, so it names the cause too. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
