// Database changes for subscribers. The write-ahead log is read from the first subscription until the last one ends.
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import type { RequestedChange } from "../channels/join.ts";
import { Backlog } from "./backlog.ts";
import { ChangeDelivery } from "./delivery.ts";
import { FilterTime } from "./filter-time.ts";
import { createRequestCheck, type PatternTime, parseConditions, parseSelect } from "./requests.ts";
import { createSubscriptions, type Subscriber } from "./subscriptions.ts";
import { SILENCE } from "./wal/wal-connection.ts";
import { WalStream } from "./wal/wal-stream.ts";

export { SubscriptionError } from "./requests.ts";
export type { ChangeBatch, Subscriber } from "./subscriptions.ts";

export interface Changes {
  /**
   * Resolves when changes flow to the subscriber, or at once if it has left. Rejects with SubscriptionError when the request
   * cannot be met, and with another error when it may be met later.
   */
  subscribe(subscriber: Subscriber, requested: readonly RequestedChange[]): Promise<void>;
  unsubscribe(subscriber: Subscriber): void;
  close(): Promise<void>;
}

export interface ChangesDeps {
  readonly database: Database;
  /** A connection string that may open a replication connection. */
  readonly replicationUrl: string;
  /** Milliseconds of silence from PostgreSQL before reconnecting; 15,000 by default. */
  readonly silence?: number | undefined;
  readonly log: Log;
}

export function createChanges({ database, replicationUrl, silence = SILENCE, log }: ChangesDeps): Changes {
  const subscriptions = createSubscriptions();
  const time = new FilterTime();
  const delivery = new ChangeDelivery(database, subscriptions, time, log);
  const backlog = new Backlog((changes) => delivery.deliver(changes));
  const stream = new WalStream({
    url: replicationUrl,
    silence,
    log,
    onChanges: (changes) => backlog.add(changes),
    onResumed() {
      for (const subscriber of subscriptions.subscribers()) subscriber.onResumed();
    },
  });

  const patternTime = (subscriber: Subscriber): PatternTime => ({
    left: () => time.left([subscriber]),
    spend: (ms) => time.spend([subscriber], ms),
  });

  const unsubscribe = (subscriber: Subscriber) => {
    if (subscriptions.remove(subscriber) && subscriptions.isEmpty()) void stream.stop();
  };

  return {
    async subscribe(subscriber, requested) {
      const parsed = requested.map(({ id, request }) => ({
        id,
        event: request.event,
        schema: request.schema ?? "*",
        table: request.table ?? "*",
        filter: request.filter?.trim() || undefined,
        conditions: parseConditions(request),
        select: parseSelect(request),
        subscriber,
      }));
      const hasLeft = () => !subscriptions.has(subscriber);
      // So that leaving during the checks counts. Nothing is delivered before they have passed: a filter reaches PostgreSQL.
      subscriptions.add(subscriber, []);
      try {
        await subscriber.inTurn(async () => {
          const check = createRequestCheck(database, patternTime(subscriber));
          for (const { request } of requested) {
            if (hasLeft()) return;
            await check(subscriber.claims(), request);
          }
        });
      } catch (error) {
        unsubscribe(subscriber);
        throw error;
      }
      if (hasLeft()) return;
      subscriptions.add(subscriber, parsed);
      await stream.start();
    },
    unsubscribe,
    close: () => stream.stop(),
  };
}
