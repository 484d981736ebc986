// How often something may happen: the whole allowance at once, then as it refills.

export interface Rate {
  /** False when the allowance is used up. A refused attempt costs nothing. */
  count(cost?: number): boolean;
  left(): number;
  /** Milliseconds until something is left; zero if something is. */
  emptyFor(): number;
  /** For costs that are known only afterwards. A debt of at most the whole allowance is paid off before anything is left again. */
  spend(cost: number): void;
}

/** `most` at once, and as much again in each `withinMs`. */
export function createRate(most: number, withinMs = 1000): Rate {
  let left = most;
  let at = performance.now();
  const refill = () => {
    const now = performance.now();
    left = Math.min(most, left + ((now - at) * most) / withinMs);
    at = now;
    return left;
  };
  return {
    count(cost = 1) {
      if (refill() < cost) return false;
      left -= cost;
      return true;
    },
    left: refill,
    emptyFor: () => (refill() > 0 ? 0 : Math.floor((-left * withinMs) / most) + 1),
    spend: (cost) => void (left = Math.max(-most, refill() - cost)),
  };
}

/** A rate for each key, such as an address, dropped once it is full again. */
export function createRates(most: number, withinMs = 1000) {
  const fullAgainMs = 2 * withinMs; // even after the largest debt
  const rates = new Map<string, { readonly rate: Rate; usedAt: number }>();
  return (key: string): Rate => {
    const now = performance.now();
    const known = rates.get(key) ?? { rate: createRate(most, withinMs), usedAt: now };
    rates.delete(key); // keeps the map in order of use
    rates.set(key, known);
    known.usedAt = now;
    for (const [oldest, { usedAt }] of rates) {
      if (now - usedAt < fullAgainMs) break;
      rates.delete(oldest);
    }
    return known.rate;
  };
}

/** A count that decreases by one each second. */
export interface Fading {
  add(count: number): void;
  now(): number;
}

/** One for each address, up to `most`, dropped once it is back to zero. */
export function createFading(most: number) {
  const counts = new Map<string, { readonly count: number; readonly at: number }>();
  const left = (address: string, now: number): number => {
    const { count, at } = counts.get(address) ?? { count: 0, at: now };
    return Math.max(0, count - (now - at) / 1000);
  };
  return {
    of: (address: string): Fading => ({
      now: () => Math.floor(left(address, performance.now())),
      add(count) {
        const now = performance.now();
        const sum = Math.min(most, left(address, now) + count);
        counts.delete(address); // keeps the map in order of use
        if (sum > 0) counts.set(address, { count: sum, at: now });
        for (const [oldest, { at }] of counts) {
          if (now - at < most * 1000) break;
          counts.delete(oldest);
        }
      },
    }),
  };
}

/** Allows `most` calls in a window that starts with the first one, then none until it is over. */
export function createWindow({
  most,
  windowMs,
}: {
  readonly most: number;
  readonly windowMs: number;
}): () => boolean {
  let [endsAt, count] = [-Infinity, 0];
  return () => {
    const now = performance.now();
    if (now > endsAt) [endsAt, count] = [now + windowMs, 0];
    return ++count <= most;
  };
}
