// Reads committed changes of the publication from the write-ahead log. Owns the replication connection: opened when first
// wanted, opened again with back-off when it breaks, closed when nobody wants it. The slot is temporary, so that a server
// that dies leaves none behind to fill the disk; what happens while the connection is down is not delivered.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { LogicalReplicationService, Pgoutput, PgoutputPlugin } from "pg-logical-replication";
import type { Log } from "../../platform/log.ts";
import { guard } from "../../postgres/guard.ts";

export type Tuple = Readonly<Record<string, string | null | undefined>>;

export interface Change {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly relation: Pgoutput.MessageRelation;
  /** Text of each column of the new row; of the key for DELETE. Undefined: stored apart and unchanged. */
  readonly row: Tuple;
  /** Text of the former key where an UPDATE changed it. */
  readonly formerKey: Tuple | undefined;
  /** ISO 8601 with milliseconds. */
  readonly committedAt: string;
  /** The transaction's number, 32 bits of it. */
  readonly transaction: number;
}

export interface WalStream {
  /** Asks for the stream; resolves when changes flow. Rejects when it is given up before. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface WalStreamOptions {
  readonly url: string;
  readonly log: Log;
  /** Changes of committed transactions in order. The stream waits while the promise is pending. */
  onChanges(changes: readonly Change[]): Promise<void> | void;
  /** After every start but the first of `start()`: what happened in between was missed. */
  onResumed(): void;
}

const PUBLICATION = "supabase_realtime";
const FLUSH = 500; // changes of one transaction held before they are passed on
const BACKOFF = { first: 100, most: 10_000 }; // milliseconds

const PATIENCE = 2_000; // milliseconds for a connection to close in order

/** Values stay text: their JSON depends on the table's shape. */
class TextPlugin extends PgoutputPlugin {
  #client: Client | undefined;

  override parse(buffer: Buffer): Pgoutput.Message {
    const message = super.parse(buffer);
    if (message.tag === "relation") for (const column of message.columns) column.parser = (text) => text;
    return message;
  }

  override async start(client: Client, slot: string): Promise<unknown> {
    this.#client = client;
    guard(client);
    await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
    return super.start(client, slot, "0/00000000");
  }

  /** Cuts the connection, should it not close. */
  abandon(): void {
    const { connection } = (this.#client ?? {}) as { connection?: { stream: { destroy(): void } } };
    connection?.stream.destroy();
  }
}

export function createWalStream(options: WalStreamOptions): WalStream {
  let wanted = false;
  let running: Promise<void> | undefined;
  let interrupt = () => {};
  let started = expectation();

  /** One connection, from start to end or until it is interrupted. */
  async function connect(onStart: () => void): Promise<void> {
    const service = new LogicalReplicationService(
      { connectionString: options.url, application_name: "thats-so-houston realtime", keepAlive: true },
      { acknowledge: { auto: false, timeoutSeconds: 10 }, flowControl: { enabled: true } },
    );
    const end = expectation();
    interrupt = end.resolve;
    service.on("error", (error) => end.reject(error));
    service.on("start", onStart);
    service.on("data", collect(options.onChanges));
    const plugin = new TextPlugin({ protoVersion: 1, publicationNames: [PUBLICATION] });
    const slot = `realtime_${randomBytes(8).toString("hex")}`;
    try {
      await Promise.race([service.subscribe(plugin, slot), end.promise]);
    } finally {
      // Once only: a second stop() of the library at the same time never returns.
      const closed = service.stop().catch(() => {});
      await Promise.race([closed, sleep(PATIENCE, undefined, { ref: false })]);
      plugin.abandon();
    }
  }

  async function keepConnected(): Promise<void> {
    let delay = BACKOFF.first;
    let resumed = false;
    while (wanted) {
      try {
        await connect(() => {
          delay = BACKOFF.first;
          started.resolve();
          if (resumed) options.onResumed();
          resumed = true;
        });
      } catch (error) {
        if (wanted) options.log.warn({ err: error }, "replication connection lost");
      }
      if (!wanted) break;
      const rest = expectation();
      interrupt = rest.resolve;
      await Promise.race([sleep(delay), rest.promise]);
      delay = Math.min(delay * 2, BACKOFF.most);
    }
  }

  return {
    start() {
      if (!wanted) {
        wanted = true;
        started = expectation();
        // A stream that is still closing ends first: one connection at a time.
        running = (running ?? Promise.resolve()).then(keepConnected);
      }
      return started.promise;
    },

    async stop() {
      wanted = false;
      started.reject(new Error("The stream of changes was stopped"));
      interrupt();
      await running;
    },
  };
}

/** A promise that may fail without anybody waiting for it. */
function expectation() {
  const resolvers = Promise.withResolvers<void>();
  resolvers.promise.catch(() => {});
  return resolvers;
}

/** Gathers a transaction's changes and passes them on at its commit, or earlier when it is large. */
function collect(onChanges: WalStreamOptions["onChanges"]) {
  let committedAt = "";
  let transaction = 0;
  let changes: Change[] = [];
  const flush = () => {
    const batch = changes;
    changes = [];
    return batch.length > 0 ? onChanges(batch) : undefined;
  };

  return async (_lsn: string, message: Pgoutput.Message) => {
    switch (message.tag) {
      case "begin":
        committedAt = new Date(Number(message.commitTime) / 1000).toISOString();
        transaction = message.xid;
        break;
      case "insert":
        changes.push(toChange("INSERT", message.relation, message.new, undefined));
        break;
      case "update":
        changes.push(toChange("UPDATE", message.relation, message.new, message.key ?? message.old));
        break;
      case "delete":
        changes.push(toChange("DELETE", message.relation, (message.key ?? message.old)!, undefined));
        break;
      case "commit":
        await flush();
    }
    if (changes.length >= FLUSH) await flush();
  };

  function toChange(
    type: Change["type"],
    relation: Change["relation"],
    row: Tuple,
    former: Tuple | null | undefined,
  ) {
    return { type, relation, row, formerKey: former ?? undefined, committedAt, transaction };
  }
}
