// Natural batching of what is new: a rush of buyers makes an intent each, and one statement for many of them commits once.
// While a batch is with the database the next one fills; alone, a call does not wait. Hides that calls share a transaction.
import type { Outcome, Queries, Saved } from "./queries.ts";

const MOST_AT_ONCE = 64;

interface Waiting {
  readonly outcome: Outcome;
  readonly settle: (saved: Saved) => void;
  readonly fail: (error: unknown) => void;
}

export type SaveNew = (outcome: Outcome) => Promise<Saved>;

export function createSaveQueue({ save }: Pick<Queries, "save">): SaveNew {
  let queue: Waiting[] = [];
  let busy = false;

  async function work(): Promise<void> {
    busy = true;
    while (queue.length > 0) {
      const batch = firstOfEachKey(queue).slice(0, MOST_AT_ONCE);
      queue = queue.filter((one) => !batch.includes(one));
      await keep(batch);
    }
    busy = false;
  }

  async function keep(batch: readonly Waiting[]): Promise<void> {
    try {
      const saved = await save(batch.map(({ outcome }) => outcome));
      batch.forEach(({ settle }, index) => settle(saved[index]!));
    } catch (error) {
      // The transaction was rolled back whole: what cannot be kept fails alone.
      if (batch.length === 1) batch[0]!.fail(error);
      else for (const one of batch) await keep([one]);
    }
  }

  return (outcome) =>
    new Promise((settle, fail) => {
      queue.push({ outcome, settle, fail });
      if (!busy) void work();
    });
}

/** A second call under the same key waits for the next batch, where it finds the first one's answer. */
function firstOfEachKey(queue: readonly Waiting[]): Waiting[] {
  const keys = new Set<string>();
  return queue.filter(({ outcome: { key } }) => {
    if (key === undefined) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}
