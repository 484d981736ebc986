// Restarts the embedded PostgreSQL when it dies. Pools reconnect on their own, because its address stays the same. Committed
// data is kept; requests in progress are answered 503.
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";

export interface KeptCluster {
  readonly url: string;
  /** Resolves when the keeper gives up: PostgreSQL does not start, or keeps dying. */
  readonly givenUp: Promise<void>;
  stop(): Promise<void>;
}

const MOST_DEATHS = 5;
const WITHIN_MS = 5 * 60_000;
const RETRY_MS = 1_000;

/** `announce` prints a line for the operator. Rejects when the first start fails. */
export async function keepCluster(
  start: () => Promise<Cluster>,
  announce: (line: string) => void,
): Promise<KeptCluster> {
  let cluster = await start();
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  let stopping = false;

  async function watch(): Promise<void> {
    let deaths: number[] = [];
    for (;;) {
      await cluster.exited;
      if (stopping) return;
      const now = performance.now();
      deaths = [...deaths.filter((time) => now - time < WITHIN_MS), now];
      if (deaths.length >= MOST_DEATHS) {
        announce(`PostgreSQL stopped ${deaths.length} times in five minutes: it is not started again.`);
        return giveUp();
      }
      announce("PostgreSQL stopped unexpectedly: it is started again.");
      if (!(await restart())) return giveUp();
      if (stopping) return; // stop() waits for this, and ends the new one
      announce("PostgreSQL runs again.");
    }
  }

  async function restart(): Promise<boolean> {
    for (let attempt = 1; attempt <= MOST_DEATHS; attempt++) {
      try {
        cluster = await start();
        return true;
      } catch (error) {
        announce(`PostgreSQL could not be started: ${(error as Error).message}`);
      }
      if (stopping) return false;
      await sleep(RETRY_MS);
    }
    return false;
  }

  const watching = watch();
  return {
    url: cluster.url,
    givenUp,
    async stop() {
      stopping = true;
      await cluster.stop();
      // A restart may be in progress.
      await watching;
      await cluster.stop();
    },
  };
}
