// Changes of objects. In a rush each buyer pays, and changes decided together commit once: one that is refused, or whose key is in
// use, spoils no other.
import type { Clock } from "../../../server/src/platform/clock.ts";
import { batched } from "../../../server/src/postgres/batched.ts";
import type { Executor } from "../../../server/src/postgres/executor.ts";
import type { Family } from "../store/objects.ts";
import type { Opened, Outcome, Queries } from "../store/queries.ts";
import { keyInUse } from "../wire/provider-error.ts";
import { type Answer, type Call, type Decision, outcomeOf, replay } from "./outcomes.ts";

export interface Change {
  readonly call: Call;
  readonly id: string;
  /** May run again when its batch is split. */
  readonly decide: (family: Family) => Decision;
}

const MOST_AT_ONCE = 64;

type Result = { readonly answer: Answer } | { readonly refusal: unknown };

export function createChangeQueue(queries: Queries, clock: Clock): (change: Change) => Promise<Answer> {
  const decided = batched({
    run: (changes: readonly Change[]) => queries.transaction((tx) => changeAll(tx, changes)),
    most: MOST_AT_ONCE,
  });

  async function changeAll(tx: Executor, changes: readonly Change[]): Promise<readonly Result[]> {
    const opened = await queries.open(
      tx,
      changes.map(({ call, id }) => ({ key: call.idempotencyKey, id })),
    );
    const results = new Map<Change, Result>();
    const toSave: { change: Change; outcome: Outcome }[] = [];
    // Of several changes of one family, the later ones are decided when the first is saved.
    const later: Change[] = [];
    const changed = new Set<string>();
    changes.forEach((change, index) => {
      const root = opened[index]!.family.get(change.id)?.root;
      if (root !== undefined && changed.has(root)) {
        later.push(change);
        return;
      }
      const result = decide(change, opened[index]!, clock);
      if (!("outcome" in result)) {
        results.set(change, result);
        return;
      }
      toSave.push({ change, ...result });
      if (root !== undefined) changed.add(root);
    });
    const saved = await queries.save(
      toSave.map(({ outcome }) => outcome),
      tx,
    );
    toSave.forEach(({ change, outcome: { status, body } }, index) => {
      // Another process's call committed after we read the key and before we locked it: the client retries.
      const result = saved[index]!.saved
        ? { answer: { status, body, replayed: false } }
        : { refusal: keyInUse() };
      results.set(change, result);
    });
    if (later.length > 0) {
      const rest = await changeAll(tx, later);
      later.forEach((change, index) => results.set(change, rest[index]!));
    }
    return changes.map((change) => results.get(change)!);
  }

  return async (change) => {
    const result = await decided(change);
    if ("refusal" in result) throw result.refusal;
    return result.answer;
  };
}

function decide(
  { call, decide }: Change,
  { open, kept, family }: Opened,
  clock: Clock,
): Result | { readonly outcome: Outcome } {
  try {
    if (!open) throw keyInUse();
    if (kept) return { answer: replay(call, kept) };
    return { outcome: outcomeOf(call, decide(family), family, clock) };
  } catch (refusal) {
    return { refusal };
  }
}
