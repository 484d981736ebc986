// The sale comes first: work that nobody waits for, such as mails, goes on slowly while buyers wait for the database.
import { setTimeout as sleep } from "node:timers/promises";

/** So many buyers at once are a rush. */
const RUSH = 4;
/** All buyers of a batch are answered at once: only a longer lull is the end of a rush. */
const LULL_MS = 100;
const LOOK_MS = 10;
/** Pieces of work a second in a rush. At 1.8 ms of processor time each, mails take less than a twentieth of two cores. */
const PACE = 40;

export interface SaleFirst {
  /** A buyer waits until the call is answered. */
  serve<T>(call: () => Promise<T>): Promise<T>;
  /** Call this before so many pieces of work. Resolves at once, unless there is a rush. */
  giveWay(pieces: number): Promise<void>;
}

export function createSaleFirst(): SaleFirst {
  let waiting = 0;
  let rushedAt = -Infinity;
  const noteRush = () => {
    if (waiting >= RUSH) rushedAt = performance.now();
  };
  return {
    async serve(call) {
      waiting++;
      noteRush();
      try {
        return await call();
      } finally {
        noteRush();
        waiting--;
      }
    },
    async giveWay(pieces) {
      const until = performance.now() + (pieces * 1000) / PACE;
      const isRush = () => waiting >= RUSH || performance.now() - rushedAt < LULL_MS;
      while (isRush() && performance.now() < until) await sleep(LOOK_MS);
    },
  };
}
