// One API call that writes: idempotency keys as Stripe keeps them, around a rule that decides. Hides that taking a
// key, applying the rule and storing the answer are one transaction, so that a call takes effect once or not at all.
import type { Clock } from "../../../server/src/platform/clock.ts";
import { eventsOf } from "../webhooks/events.ts";
import type { Entry, Family, ProviderObject, Transition } from "../store/objects.ts";
import { errorAnswer, keyInUse, keyReused } from "../wire/provider-error.ts";
import type { KeptAnswer, Queries } from "../store/queries.ts";
import { createSaveQueue, type SaveNew } from "../store/save-queue.ts";

export interface Call {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Equal for the same method, path and parameters. */
  readonly fingerprint: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly replayed: boolean;
}

/** What a rule decided and how its result is rendered. `family` is everything known once it is stored. */
interface Decision {
  readonly transition: Transition;
  /** The object the call is about. */
  readonly about: string;
  readonly render: (object: ProviderObject, family: Family) => unknown;
}

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

  async function keep(
    call: Call,
    decision: Decision,
    family: Family,
    save: SaveNew = saveNew,
  ): Promise<Answer | "lost"> {
    const { status, body } = answerOf(decision, family);
    const at = Math.floor(clock.now() / 1000);
    const cause = { requestId: call.requestId, idempotencyKey: call.idempotencyKey };
    const entries = [...decision.transition.entries, ...eventsOf(decision.transition, cause, at)];
    const { idempotencyKey: key, fingerprint } = call;
    const { open, saved } = await save({ key, fingerprint, status, body, entries });
    if (!open) throw keyInUse();
    return saved ? { status, body, replayed: false } : "lost";
  }

  return {
    async create(call, decision) {
      const answer = await keep(call, decision, new Map());
      if (answer === "lost") return replay(call, (await queries.kept(call.idempotencyKey!))!);
      const { entries, events } = decision.transition;
      if (events.length > 0 || entries.some(({ dueAt }) => dueAt !== undefined)) onDue();
      return answer;
    },

    async change(call, id, decide) {
      const answer = await queries.transaction(async (tx) => {
        const { open, kept, family } = await queries.open(tx, call.idempotencyKey, id);
        if (!open) throw keyInUse();
        if (kept) return replay(call, kept);
        const made = await keep(
          call,
          decide(family),
          family,
          async (outcome) => (await queries.save([outcome], tx))[0]!,
        );
        // The other call committed after we read the key and before we locked it: the client retries.
        if (made === "lost") throw keyInUse();
        return made;
      });
      if (!answer.replayed) onDue();
      return answer;
    },
  };
}

function replay(call: Call, kept: KeptAnswer): Answer {
  if (kept.fingerprint !== call.fingerprint) throw keyReused(call.idempotencyKey!);
  return { status: kept.status, body: kept.body, replayed: true };
}

/** A declined card is an answer like any other: both the attempt and the refusal are stored. */
function answerOf(
  { transition, about, render }: Decision,
  family: Family,
): { status: number; body: unknown } {
  const after = new Map<string, Entry>(family);
  for (const entry of transition.entries) after.set(entry.body.id, entry);
  const shown = render(after.get(about)!.body, after);
  if (!transition.declined) return { status: 200, body: shown };
  return { status: 402, body: errorAnswer({ ...transition.declined, payment_intent: shown }) };
}
