// Changes waiting to be delivered: while one batch is checked, the next one fills.
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "./wal/wal-connection.ts";

/** Nobody notices a twentieth of a second. */
const BATCH_MS = 50;
/**
 * A batch's checks cost nearly the same however many changes are in it. In a rush they may take a twentieth of the time, unless a change
 * would wait longer than half a second: people's requests use the same processors.
 */
const CHECKS_SHARE = 1 / 20;
const BATCH_MOST_MS = 500;
const MOST = 5000; // changes held here; beyond, PostgreSQL keeps them

export class Backlog {
  readonly #deliver: (changes: readonly Change[]) => Promise<number>;
  #changes: Change[] = [];
  #working: Promise<void> | undefined;

  /** `deliver` resolves with the milliseconds that its checks took, and never rejects. */
  constructor(deliver: (changes: readonly Change[]) => Promise<number>) {
    this.#deliver = deliver;
  }

  /** Returns a promise to await before adding more, or undefined while there is room. */
  add(changes: readonly Change[]): Promise<void> | undefined {
    this.#changes.push(...changes);
    this.#working ??= this.#work();
    return this.#changes.length > MOST ? this.#working : undefined;
  }

  /** The first change is delivered at once. Further batches start at least BATCH_MS apart, and further apart if checks take long. */
  async #work(): Promise<void> {
    try {
      while (this.#changes.length > 0) {
        const batch = this.#changes;
        this.#changes = [];
        const startedAt = performance.now();
        const checkMs = await this.#deliver(batch);
        const apart = Math.min(Math.max(BATCH_MS, checkMs / CHECKS_SHARE), BATCH_MOST_MS);
        const pause = Math.max(0, startedAt + apart - performance.now()); // delivering may have taken longer
        await sleep(pause, undefined, { ref: false });
      }
    } finally {
      this.#working = undefined;
    }
  }
}
