// Changes waiting to be delivered: while one batch is checked, the next one fills.
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "./wal/wal-connection.ts";

/**
 * In a rush, smaller batches would cost requests more in checks, and nobody notices a twentieth of a second.
 */
const BATCH_MS = 50;
const MOST = 5000; // changes held here; beyond, PostgreSQL keeps them

export class Backlog {
  readonly #deliver: (changes: readonly Change[]) => Promise<void>;
  #changes: Change[] = [];
  #working: Promise<void> | undefined;

  /** `deliver` never rejects. */
  constructor(deliver: (changes: readonly Change[]) => Promise<void>) {
    this.#deliver = deliver;
  }

  /** Returns a promise to await before adding more, or undefined while there is room. */
  add(changes: readonly Change[]): Promise<void> | undefined {
    this.#changes.push(...changes);
    this.#working ??= this.#work();
    return this.#changes.length > MOST ? this.#working : undefined;
  }

  /** The first change is delivered at once. Further batches start at least BATCH_MS apart. */
  async #work(): Promise<void> {
    try {
      while (this.#changes.length > 0) {
        const batch = this.#changes;
        this.#changes = [];
        const nextAt = performance.now() + BATCH_MS;
        await this.#deliver(batch);
        const pause = Math.max(0, nextAt - performance.now()); // the checks may have taken longer
        await sleep(pause, undefined, { ref: false });
      }
    } finally {
      this.#working = undefined;
    }
  }
}
