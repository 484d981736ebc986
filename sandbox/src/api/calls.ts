// One API call that writes: idempotency keys as Stripe keeps them, around a rule that decides. Hides that taking a
// key, applying the rule and storing the answer are one transaction, so that a call takes effect once or not at all.
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Family } from "../store/objects.ts";
import type { Queries } from "../store/queries.ts";
import { createSaveQueue } from "../store/save-queue.ts";
import { keyInUse } from "../wire/provider-error.ts";
import { createChangeQueue } from "./change-queue.ts";
import { type Answer, type Call, type Decision, outcomeOf, replay } from "./outcomes.ts";

export interface Calls {
  /** Creates a new object in one statement. */
  create(call: Call, decision: Decision): Promise<Answer>;
  /**
   * Changes the object `id`, under the lock of its family. If `decide` throws, nothing is kept, not even the key.
   */
  change(call: Call, id: string, decide: (family: Family) => Decision): Promise<Answer>;
}

/** `onDue` is called when an event waits for delivery or an object will become due. */
export function createCalls(queries: Queries, clock: Clock, onDue: () => void): Calls {
  const saveNew = createSaveQueue(queries);
  const change = createChangeQueue(queries, clock);
  /** Keys of changes in progress here: a second call under one is refused at once, as by another process's lock. */
  const underWay = new Set<string | undefined>();

  return {
    async create(call, decision) {
      const outcome = outcomeOf(call, decision, new Map(), clock);
      const { open, saved } = await saveNew(outcome);
      if (!open) throw keyInUse();
      if (!saved) return replay(call, (await queries.kept(call.idempotencyKey!))!);
      const { entries, events } = decision.transition;
      if (events.length > 0 || entries.some(({ dueAt }) => dueAt !== undefined)) onDue();
      return { status: outcome.status, body: outcome.body, replayed: false };
    },

    async change(call, id, decide) {
      const { idempotencyKey: key } = call;
      if (key !== undefined && underWay.has(key)) throw keyInUse();
      underWay.add(key);
      try {
        const answer = await change({ call, id, decide });
        if (!answer.replayed) onDue();
        return answer;
      } finally {
        underWay.delete(key);
      }
    },
  };
}
