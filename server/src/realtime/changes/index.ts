// Changes of the database for whoever subscribes. The log is read from the first subscription to the last one's end.
import { setTimeout as sleep } from "node:timers/promises";
import type { Claims } from "../../platform/jwt.ts";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import type { ChangeRequest } from "../join.ts";
import * as queries from "../queries.ts";
import { createDelivery } from "./delivery.ts";
import { FilterError, parseFilter } from "./filter.ts";
import { filterFault } from "./filtering.ts";
import { createSubscriptions, type Subscriber } from "./subscriptions.ts";
import { type Change, createWalStream } from "./wal-stream.ts";

export type { ChangePayload, Subscriber } from "./subscriptions.ts";

export interface RequestedChange {
  readonly id: number;
  readonly request: ChangeRequest;
}

/** Message for the subscriber. */
export class SubscriptionError extends Error {}

export interface Changes {
  /** Resolves when changes flow to the subscriber. Rejects with SubscriptionError when the request cannot be met. */
  subscribe(subscriber: Subscriber, requested: readonly RequestedChange[]): Promise<void>;
  unsubscribe(subscriber: Subscriber): void;
  close(): Promise<void>;
}

export interface ChangesDeps {
  readonly database: Database;
  /** A connection string that may open a replication connection. */
  readonly replicationUrl: string;
  readonly log: Log;
}

/** In a rush the checks of a batch cost the sale more the smaller it is, and nobody sees a twentieth of a second. */
const BATCH_MS = 50;
const BACKLOG = 5000; // changes held while earlier ones are checked; beyond, PostgreSQL keeps them

export function createChanges({ database, replicationUrl, log }: ChangesDeps): Changes {
  const subscriptions = createSubscriptions();
  const deliver = createDelivery(database, subscriptions, log);
  let backlog: Change[] = [];
  let working: Promise<void> | undefined;

  /** The first change goes at once; while a batch is checked, and then until its time is over, the next one fills. */
  async function work(): Promise<void> {
    try {
      while (backlog.length > 0) {
        const batch = backlog;
        backlog = [];
        const nextAt = performance.now() + BATCH_MS;
        await deliver(batch);
        const pause = Math.max(0, nextAt - performance.now()); // the checks may have taken longer
        await sleep(pause, undefined, { ref: false });
      }
    } finally {
      working = undefined;
    }
  }

  const stream = createWalStream({
    url: replicationUrl,
    log,
    onChanges(changes) {
      backlog.push(...changes);
      working ??= work();
      return backlog.length > BACKLOG ? working : undefined;
    },
    onResumed() {
      for (const subscriber of subscriptions.subscribers()) subscriber.onResumed();
    },
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
        filter: request.filter ?? undefined,
        conditions: parseConditions(request),
        subscriber,
      }));
      subscriptions.add(subscriber, parsed); // before the checks: whoever leaves meanwhile is gone
      try {
        await subscriber.inTurn(async () => {
          const published = createPublished(database);
          for (const { request } of requested) {
            if (!subscriptions.has(subscriber)) return; // left while it waited
            await checkRequest(database, published, subscriber.claims(), request);
          }
        });
      } catch (error) {
        unsubscribe(subscriber);
        throw error;
      }
      await stream.start();
    },
    unsubscribe,
    close: () => stream.stop(),
  };
}

function parseConditions(request: ChangeRequest) {
  try {
    return request.filter ? parseFilter(request.filter) : [];
  } catch (error) {
    if (error instanceof FilterError) throw new SubscriptionError(error.message);
    throw error;
  }
}

/** Refuses what could never deliver: a table that is not published, a filter on a column the subscriber cannot read. */
async function checkRequest(
  database: Database,
  published: Published,
  claims: Claims,
  request: ChangeRequest,
): Promise<void> {
  const tables = await published(request);
  if (tables.length === 0) {
    throw new SubscriptionError(
      "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect " +
        `parameters: [schema: ${request.schema ?? "*"}, table: ${request.table ?? "*"}, filters: [${request.filter ?? ""}]]`,
    );
  }
  const conditions = parseConditions(request);
  if (conditions.length === 0) return;
  const readable = await Promise.all(
    tables.map((table) => queries.readableColumns(database, claims, table.oid)),
  );
  for (const { column } of conditions) {
    if (!readable.some((columns) => columns.has(column))) {
      throw new SubscriptionError(`invalid column for filter ${column}`);
    }
  }
  for (const table of tables) {
    const fault = await filterFault(database, claims, table, conditions);
    if (fault !== undefined) throw new SubscriptionError(fault);
  }
}

type Published = (request: ChangeRequest) => Promise<readonly queries.TableShape[]>;

/** The tables a request is about; those of one join are asked once each. */
function createPublished(database: Database): Published {
  const asked = new Map<string, Promise<readonly queries.TableShape[]>>();
  const any = (name: string | null | undefined) => (name === "*" || !name ? null : name);
  return ({ schema, table }) => {
    const names = [any(schema), any(table)] as const;
    const key = JSON.stringify(names);
    const answer = asked.get(key) ?? queries.publishedTables(database, ...names);
    asked.set(key, answer);
    return answer;
  };
}
