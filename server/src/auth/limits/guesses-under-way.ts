// The guesses of one network at one secret that this process is judging. The database allows only so many at a time, right
// ones included, so an owner who signs in ten times at once waits here for a free place instead of being refused.

interface Line {
  /** Resolves when whoever came last has entered or been refused. */
  last: Promise<void>;
  /** How many wait or are being judged. */
  here: number;
  readonly underWay: Set<Promise<void>>;
}

export interface GuessesUnderWay {
  /**
   * Calls `take` in order of arrival until it returns a place or throws while no guess is under way; each time one ends, the first
   * in line asks again. Returns the place and what ends the guess.
   */
  enter<T>(key: string, take: () => Promise<T>): Promise<{ readonly place: T; end(): void }>;
}

export function createGuessesUnderWay(): GuessesUnderWay {
  const lines = new Map<string, Line>();

  function lineOf(key: string): Line {
    const line = lines.get(key) ?? { last: Promise.resolve(), here: 0, underWay: new Set() };
    lines.set(key, line);
    return line;
  }
  function leave(key: string, line: Line): void {
    line.here--;
    if (line.here === 0) lines.delete(key);
  }

  return {
    async enter(key, take) {
      const line = lineOf(key);
      line.here++;
      const before = line.last;
      const turn = Promise.withResolvers<void>();
      line.last = turn.promise;
      await before;
      try {
        const place = await firstPlace(line, take);
        const judging = Promise.withResolvers<void>();
        line.underWay.add(judging.promise);
        return {
          place,
          end() {
            line.underWay.delete(judging.promise);
            judging.resolve();
            leave(key, line);
          },
        };
      } catch (error) {
        leave(key, line);
        throw error;
      } finally {
        turn.resolve();
      }
    },
  };
}

/** Nobody else enters meanwhile, so there are as many tries as guesses under way, and one more. */
async function firstPlace<T>({ underWay }: Line, take: () => Promise<T>): Promise<T> {
  for (;;) {
    // Before asking: one that ends during the question may have made room.
    const others = [...underWay];
    try {
      return await take();
    } catch (error) {
      if (others.length === 0) throw error;
      await Promise.race(others);
    }
  }
}
