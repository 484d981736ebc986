// Delivers what SQL broadcasts to the sockets of this process: each message once, even after the connection that announces
// them was down for a while.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import type { Fanout } from "../channels/fanout.ts";
import type { StoredNotice } from "../peers/peers.ts";
import * as queries from "./queries.ts";

export interface StoredBroadcasts {
  hear(notice: StoredNotice): void;
  /** Delivers what was announced while nobody listened. */
  catchUp(): void;
  close(): void;
}

/** Milliseconds, more than it takes to detect and replace a broken connection. */
const LOOK_BACK = 60_000;
const AT_ONCE = 100;
const MOST_MISSED = 5_000;
const RETRY_MS = 1_000;

export function createStoredBroadcasts(database: Database, fanout: Fanout, log: Log): StoredBroadcasts {
  const startedAt = Date.now();
  const seen = new Seen(2 * LOOK_BACK);
  let waiting: string[] = [];
  let working = false;
  let closed = false;

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    await Promise.resolve(); // load everything that one transaction announces together
    while (waiting.length > 0 && !closed) {
      const ids = waiting.slice(0, AT_ONCE);
      try {
        for (const { room, broadcast } of await queries.storedMessages(database, ids)) {
          fanout.deliver(room, broadcast);
        }
        waiting = waiting.slice(ids.length);
      } catch (error) {
        if (closed) break;
        log.warn({ err: error }, "stored broadcasts could not be read; retrying");
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    working = false;
  }

  const hear = ({ id, topic, private: isPrivate }: StoredNotice) => {
    if (!seen.add(id) || !fanout.isHeard({ topic: `realtime:${topic}`, private: isPrivate })) return;
    if (waiting.length >= MOST_MISSED) return;
    waiting.push(id);
    void work();
  };

  return {
    hear,
    catchUp() {
      const since = Math.max(startedAt, Date.now() - LOOK_BACK);
      queries.broadcastSince(database, since, MOST_MISSED).then(
        (missed) => missed.forEach(hear),
        (error: unknown) => closed || log.warn({ err: error }, "missed broadcasts could not be read"),
      );
    },
    close: () => void (closed = true),
  };
}

/** Recent ids, so that none is delivered twice. */
class Seen {
  readonly #at = new Map<string, number>();
  readonly #forMs: number;

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** False for an id it has already seen. */
  add(id: string): boolean {
    const now = performance.now();
    for (const [oldest, at] of this.#at) {
      if (now - at < this.#forMs) break;
      this.#at.delete(oldest);
    }
    if (this.#at.has(id)) return false;
    this.#at.set(id, now);
    return true;
  }
}
