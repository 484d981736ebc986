// Does the work that transactions wrote to the outbox: mails, refunds, intents to close. Failed work goes back with its reason, and
// SQL decides when to retry it.
import { refusedAddress } from "contract/mail";
import type { FunctionDeps, OutboxLane } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { serviceFunction } from "../_shared/handler.ts";
import { logFailure } from "../_shared/qr-code.ts";
import { type OutboxEntry, performing } from "./work.ts";

interface Lane {
  /** Entries claimed per call: few, so that none waits behind slow work until its lease runs out. */
  readonly atOnce: number;
  /** Claimed while the work is quick: mails that go out together share their calls of SQL. */
  readonly mostAtOnce: number;
  readonly mostRounds: number;
  /** Mails that an entry sends. They give way to requests; money does not. */
  readonly mails: number;
}

/** Bulk messages leave most connections to the mail server free, and each of their runs ends soon. */
const LANES = {
  money: { atOnce: 4, mostAtOnce: 4, mostRounds: 250, mails: 0 },
  mail: { atOnce: 4, mostAtOnce: 16, mostRounds: 20, mails: 1 },
  bulk: { atOnce: 1, mostAtOnce: 1, mostRounds: 5, mails: 20 },
} satisfies Record<OutboxLane, Lane>;
const QUICK_MS = 1000;
const LANE_NAMES = Object.keys(LANES) as OutboxLane[];
/** Orders that a refund run decides before their money is requested. Other refunds wait for no more than this many. */
const RUN_AT_ONCE = 20;
/** Few, because a stopping server waits for a call under way. */
const RUN_ROUNDS = 5;

/**
 * `?lane=money` drains only that lane, as the jobs do, so that none waits for another's servers. Without it, all, one after the
 * other, money first: what it returns is mailed in the same call.
 */
export const handler = serviceFunction(async (request, deps) => {
  const total = { done: 0, failed: 0 };
  for (const lane of lanesOf(request)) {
    const { done, failed } = await (lane === "money" ? drainMoney(deps) : drain(deps, lane));
    total.done += done;
    total.failed += failed;
  }
  return total;
});

function lanesOf(request: Request): OutboxLane[] {
  const lane = new URL(request.url).searchParams.get("lane");
  if (lane === null) return LANE_NAMES;
  const named = LANE_NAMES.find((name) => name === lane);
  if (named) return [named];
  throw new FunctionError("invalid_request", `The outbox has the lanes ${LANE_NAMES.join(", ")}.`);
}

/** Refund runs fill the lane a little at a time, as it empties. The next call does what is left. */
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

/** False when there is nothing to do now. A failing order holds up its own run for some rounds, but no other refund. */
async function advanceRun(deps: FunctionDeps): Promise<boolean> {
  try {
    return await deps.sql("advance_refund_run", {});
  } catch (error) {
    deps.log.error({ err: error }, "refund run did not go on");
    await deps
      .sql("refund_run_failed", { p_error: reasonOf(error) })
      .catch((failure: unknown) => deps.log.error({ err: failure }, "failure of a refund run not recorded"));
    return false;
  }
}

async function drain(deps: FunctionDeps, lane: OutboxLane): Promise<{ done: number; failed: number }> {
  const { atOnce, mostAtOnce, mostRounds, mails } = LANES[lane];
  const total = { done: 0, failed: 0 };
  let wanted: number = atOnce;
  for (let round = 0; round < mostRounds; round++) {
    await deps.giveWay(mails * wanted);
    const started = deps.now();
    const entries = await deps.sql("claim_outbox", {
      p_limit: wanted,
      p_lane: lane,
    });
    const done = await settle(deps, entries);
    total.done += done;
    total.failed += entries.length - done;
    if (entries.length < wanted) return total;
    wanted = deps.now() - started < QUICK_MS ? Math.min(2 * wanted, mostAtOnce) : atOnce;
  }
  // Start the next run at once: with the schedule's pause after every few hundred, 5,000 mails took two minutes longer. After a
  // failure, spare the server until the next scheduled run.
  if (total.failed === 0) deps.outboxFilled(lane);
  return total;
}

/** Returns how many are done. None waits for another's mail server to be recorded. */
async function settle(deps: FunctionDeps, entries: readonly OutboxEntry[]): Promise<number> {
  const perform = performing(recordingRefusals(deps), entries);
  const complete = completing(deps);
  const outcomes = await Promise.all(
    entries.map(async (entry) => {
      try {
        await perform(entry);
      } catch (error) {
        await recordFailure(deps, entry, error);
        return false;
      }
      await complete(entry.id);
      return true;
    }),
  );
  return outcomes.filter(Boolean).length;
}

/** Records done work at once. What is done while a statement is under way shares the next one. */
function completing({ sql }: FunctionDeps): (id: number) => Promise<unknown> {
  let ids: number[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return (id) => {
    ids.push(id);
    if (ids.length === 1) {
      last = last.then(() => {
        const done = ids;
        ids = [];
        return sql("complete_outbox", { p_ids: done });
      });
    }
    return last;
  };
}

/** If this fails as well, the claim's lease runs out and the work is retried anyway. */
async function recordFailure(deps: FunctionDeps, entry: OutboxEntry, error: unknown): Promise<void> {
  const { id: outboxId, kind, attempts } = entry;
  logFailure(deps.log, error, { outboxId, kind, attempts }, "outbox work failed");
  await deps
    .sql("fail_outbox", { p_id: outboxId, p_error: reasonOf(error) })
    .catch((failure: unknown) => deps.log.error({ err: failure, outboxId }, "outbox failure not recorded"));
}

/** Records addresses that the mail server refuses, for the back office. The work fails or continues as it otherwise would. */
function recordingRefusals(deps: FunctionDeps): FunctionDeps {
  return {
    ...deps,
    async sendMail(mail) {
      try {
        await deps.sendMail(mail);
      } catch (error) {
        const reason = refusedAddress(error);
        if (reason !== undefined) {
          await deps.sql("record_mail_bounce", { p_email: mail.to, p_reason: reason });
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
