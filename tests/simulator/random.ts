// A seeded stream of choices (mulberry32): the same seed makes the same run.
export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T | undefined;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)] };
}
