// Keeps reading the write-ahead log while there are subscribers: connects for the first one, reconnects with back-off when
// the connection breaks, and closes it after the last one. Changes while it is down are not delivered.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../platform/log.ts";
import { readWal, type WalOptions, type WalReader } from "./wal-connection.ts";

export interface WalStreamOptions extends WalOptions, Pick<WalReader, "onChanges"> {
  readonly log: Log;
  /** A new connection reads after the last one broke: changes in between were missed. */
  onResumed(): void;
}

const BACKOFF = { first: 100, most: 10_000 }; // milliseconds

/** From one start() to its stop(). */
interface Run {
  readonly started: PromiseWithResolvers<void>;
  readonly stopped: PromiseWithResolvers<void>;
  isWanted: boolean;
}

export class WalStream {
  readonly #options: WalStreamOptions;
  #run: Run | undefined;
  /** Resolves when no connection is open any more. */
  #ended = Promise.resolve();

  constructor(options: WalStreamOptions) {
    this.#options = options;
  }

  /** Resolves when changes flow. Rejects if it is stopped before that. */
  start(): Promise<void> {
    if (!this.#run) {
      const run: Run = {
        started: Promise.withResolvers(),
        stopped: Promise.withResolvers(),
        isWanted: true,
      };
      run.started.promise.catch(() => {}); // it may be stopped when nobody awaits it any more
      this.#run = run;
      // One connection at a time: an earlier run's connection closes first.
      this.#ended = this.#ended.then(() => this.#keepConnected(run));
    }
    return this.#run.started.promise;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    if (run) {
      run.isWanted = false;
      run.started.reject(new Error("The stream of changes was stopped"));
      run.stopped.resolve();
    }
    await this.#ended;
  }

  async #keepConnected(run: Run): Promise<void> {
    const { log, onChanges, onResumed } = this.#options;
    let delay = BACKOFF.first;
    let isFirst = true;
    const onStart = () => {
      delay = BACKOFF.first;
      run.started.resolve();
      if (!isFirst) onResumed();
      isFirst = false;
    };
    while (run.isWanted) {
      try {
        await readWal(this.#options, { onStart, onChanges }, run.stopped.promise);
      } catch (error) {
        if (run.isWanted) log.warn({ err: error }, "replication connection lost");
      }
      if (!run.isWanted) break;
      await Promise.race([sleep(delay, undefined, { ref: false }), run.stopped.promise]);
      delay = Math.min(delay * 2, BACKOFF.most);
    }
  }
}
