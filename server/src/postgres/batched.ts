// Natural batching: many calls share one statement. While a batch is with the database the next one fills; a lone call does
// not wait. Hides that calls share a transaction: when a batch fails because of one item, it is split until that item fails
// alone.

export interface Batching<Item, Answer> {
  /** Runs one transaction. Answers come in the items' order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** The most items in a batch. */
  readonly most: number;
  /**
   * Called once per batch: returns a function that decides whether an item may join. The others keep their place for the next
   * batch.
   */
  readonly admission?: () => (item: Item) => boolean;
  /** How long to collect after each batch, unless a full one is already waiting. */
  readonly pauseMs?: number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/** The returned function rejects when the database cannot answer, or refuses this particular item. */
export function batched<Item, Answer>(options: Batching<Item, Answer>): (item: Item) => Promise<Answer> {
  const { run, most, admission, pauseMs } = options;
  const queue: Waiting<Item, Answer>[] = [];
  let working = false;

  async function work(): Promise<void> {
    working = true;
    while (queue.length > 0) {
      await decide(takeBatch(queue, most, admission?.()));
      if (pauseMs !== undefined && queue.length < most)
        await new Promise((done) => setTimeout(done, pauseMs));
    }
    working = false;
  }

  async function decide(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(batch.map(({ item }) => item));
      if (answers.length !== batch.length) throw new Error("a batch must answer every item");
      batch.forEach(({ settle }, index) => settle(answers[index]!));
    } catch (error) {
      if (batch.length === 1 || !isFaultOfOneItem(error)) {
        for (const { fail } of batch) fail(error);
        return;
      }
      // The whole transaction was rolled back. Halving finds one faulty item among a thousand in twenty calls.
      const middle = batch.length >> 1;
      await decide(batch.slice(0, middle));
      await decide(batch.slice(middle));
    }
  }

  return (item) =>
    new Promise((settle, fail) => {
      queue.push({ item, settle, fail });
      if (!working) void work();
    });
}

/** An admission: one item with each key in a batch. Those without a key all join. */
export const onePer =
  <Item>(keyOf: (item: Item) => string | undefined) =>
  () => {
    const keys = new Set<string>();
    return (item: Item): boolean => {
      const key = keyOf(item);
      if (key === undefined) return true;
      if (keys.has(key)) return false;
      keys.add(key);
      return true;
    };
  };

/** First come, first served, except for items that may not join this batch. */
function takeBatch<Waits extends { readonly item: unknown }>(
  queue: Waits[],
  most: number,
  admits: ((item: Waits["item"]) => boolean) | undefined,
): Waits[] {
  if (!admits) return queue.splice(0, most);
  const batch: Waits[] = [];
  const later: Waits[] = [];
  let seen = 0;
  while (batch.length < most && seen < queue.length) {
    const waiting = queue[seen++]!;
    (admits(waiting.item) ? batch : later).push(waiting);
  }
  queue.splice(0, seen, ...later);
  return batch;
}

/** SQLSTATE classes of a fault in the data (22, 23), or of a transaction that may be retried (40). */
function isFaultOfOneItem(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^(22|23|40)/.test(error.code)
  );
}
