// How a figure is taken on a noisy machine: two things in turn (A B, B A, A B …), a separate ratio for each pair, the first
// pair dropped. Owns the order and the statistics; each row defines what a slice does and checks.

/** Takes one slice and returns its result: a rate or a time. Throws WrongAnswer instead of counting a wrong answer. */
export type Slice = () => Promise<number>;

/** An answer that is not the expected one: a fast wrong answer is no figure. */
export class WrongAnswer extends Error {}

export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export interface Paired {
  /** Ours divided by theirs, pair by pair. */
  readonly ratio: Spread;
  readonly ours: Spread;
  readonly against: Spread;
}

/** `pairs` includes the dropped one, which warms both up. */
export async function measureInTurn(ours: Slice, against: Slice, pairs: number): Promise<Paired> {
  checkPairs(pairs);
  const taken: { ours: number; against: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) {
      const first = await take(ours);
      taken.push({ ours: first, against: await take(against) });
    } else {
      const first = await take(against);
      taken.push({ ours: await take(ours), against: first });
    }
  }
  return pairedOf(taken.slice(1));
}

function checkPairs(pairs: number): void {
  if (!Number.isInteger(pairs) || pairs < 2)
    throw new RangeError("Two pairs at least: the first is dropped.");
}

export function pairedOf(counted: readonly { readonly ours: number; readonly against: number }[]): Paired {
  return {
    ratio: spread(counted.map((pair) => pair.ours / pair.against)),
    ours: spread(counted.map((pair) => pair.ours)),
    against: spread(counted.map((pair) => pair.against)),
  };
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) throw new RangeError("Nothing was measured.");
  const upper = sorted[Math.floor(sorted.length / 2)]!;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return { median: (lower + upper) / 2, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

const take = async (slice: Slice): Promise<number> => checkSlice(await slice());

function checkSlice(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) throw new WrongAnswer(`A slice came to ${value}.`);
  return value;
}
