// Runs a round of work, pauses for as long as the round requests, and repeats. Waking it ends the pause, but not a short rest: in a
// rush it is woken hundreds of times a second, and a round costs three queries.
import { setTimeout as sleep } from "node:timers/promises";

const REST_MS = 25;

export interface Rounds {
  start(): void;
  wake(): void;
  /** Starts no further round, and resolves when the current one is done. */
  stop(): Promise<void>;
}

/** `round` returns the milliseconds to pause; after a failure it is `pauseAfterFailure`. */
export function createRounds(
  round: () => Promise<number>,
  pauseAfterFailure: number,
  onFailure: (error: unknown) => void,
): Rounds {
  let running: Promise<void> | undefined;
  let stopped = false;
  let woken = false;
  let endPause = () => {};

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      const pause = await round().catch((error: unknown) => {
        if (!stopped) onFailure(error);
        return pauseAfterFailure;
      });
      if (!stopped) await sleep(REST_MS);
      if (woken || stopped) continue;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pause);
        endPause = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  }

  function wake(): void {
    woken = true;
    endPause();
  }

  return {
    wake,
    start() {
      running ??= run();
    },
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}
